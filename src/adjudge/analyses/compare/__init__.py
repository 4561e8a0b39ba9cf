"""Which systems really differ on a measure."""
