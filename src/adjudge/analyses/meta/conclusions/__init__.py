"""Conclusions of measures beside people's."""
