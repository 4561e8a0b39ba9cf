"""How often measures order pairs as people do."""
