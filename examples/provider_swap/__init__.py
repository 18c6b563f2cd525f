"""A help desk's replies by several providers, before several judges."""
