"""How often tests find a difference in simulated scores."""
