"""Pictures of a comparison."""
