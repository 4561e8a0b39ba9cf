"""Results in, a page to read and files for a paper out. Computes nothing."""
