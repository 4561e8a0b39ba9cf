"""Which systems differ, all pairs at once."""
