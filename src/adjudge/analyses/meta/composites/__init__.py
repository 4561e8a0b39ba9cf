"""Composites of several measures."""
