"""Which figures there are, and how each is made from scores."""
