"""Systems on several measures together."""
