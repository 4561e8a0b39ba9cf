"""What is evaluated: rows, the folder, importers, checks, units and baselines."""
