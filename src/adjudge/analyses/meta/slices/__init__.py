"""Where a measure fails."""
