"""Which measures stand in for people: meta-evaluation."""
