"""Discriminative power."""
