"""Pictures of comparisons: a result in, a figure out."""
