"""How stable judgments and rankings are."""
