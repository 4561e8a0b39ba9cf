"""Which measure is closer to people."""
