"""How far assessors agree."""
