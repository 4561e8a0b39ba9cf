"""ROUGE-1.5.5 as a drop-in: its settings and options in, its printed numbers out. The counting is measures/rouge."""
