"""Every ROUGE: words (texts), counts (plain and, compiled, fast), ratios, and the measures (family)."""
