"""Dossiers of judges: what a program that judges is worth, beside people and beside what costs nothing."""
