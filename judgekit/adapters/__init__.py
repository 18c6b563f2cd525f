"""Doors: how what an agent left behind becomes an Interaction."""
