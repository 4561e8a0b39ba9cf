"""What is evaluated: rows, the folder that holds them, checks, changes, units, baselines and scores."""
