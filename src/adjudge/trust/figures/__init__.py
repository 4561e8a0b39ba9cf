"""Pictures of what stands behind trust: a result in, a figure out."""
