"""How far results can be trusted: what people answered, how far assessors agree, what preferences are worth."""
