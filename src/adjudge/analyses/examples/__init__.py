"""Texts that show what a difference is."""
