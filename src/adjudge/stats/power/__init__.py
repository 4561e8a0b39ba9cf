"""Size and power: rates, searches by simulation, generated scores."""
