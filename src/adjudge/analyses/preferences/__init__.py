"""Strengths fitted to preferences, and how measures agree with them."""
