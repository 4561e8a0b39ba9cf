"""Units about which people and a measure disagree."""
