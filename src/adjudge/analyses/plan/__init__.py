"""How many topics or assessors it takes."""
