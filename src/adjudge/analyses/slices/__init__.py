"""How systems compare within slices of topics."""
