"""How well measures stand in for people."""
