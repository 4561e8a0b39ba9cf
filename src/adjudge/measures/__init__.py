"""Measures: one small module per measure or family, a registry, and the spec language."""
