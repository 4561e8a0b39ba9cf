"""Rank tables: systems by people and by each measure."""
