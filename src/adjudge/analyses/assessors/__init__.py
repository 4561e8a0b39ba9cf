"""Which assessors differ from the others."""
