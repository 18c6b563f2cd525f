"""An order agent and the suite that it must pass."""
