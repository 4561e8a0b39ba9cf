"""ROUGE: texts to words (texts), words to counts (counts; fast, kernels), measures (family, elements), scoring."""
