"""Tests by resampling: random swaps, hybrid bootstrap, exact permutation, clusters, Westfall-Young, max-t."""
