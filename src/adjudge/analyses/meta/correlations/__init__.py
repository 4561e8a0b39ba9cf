"""How far measures correlate with people."""
