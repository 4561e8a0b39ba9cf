"""Under which conditions the conclusions of a comparison can be trusted, each stated either way."""
