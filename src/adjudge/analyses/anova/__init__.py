"""Which factors matter, and how much."""
