"""Stemmers by name: three Porters, Lovins, Snowball's languages."""
