"""How topics differ."""
