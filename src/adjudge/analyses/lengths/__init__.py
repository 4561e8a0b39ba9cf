"""How scores and rankings depend on the target length."""
