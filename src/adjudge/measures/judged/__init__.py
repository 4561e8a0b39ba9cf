"""Measures from people's judgments: coverage, quality, ratings, pyramids, preferences, duels."""
