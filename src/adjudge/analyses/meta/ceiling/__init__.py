"""The human ceiling."""
