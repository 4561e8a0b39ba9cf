"""Side by side with other tools, in one run: ratios, because machines are noisy."""
