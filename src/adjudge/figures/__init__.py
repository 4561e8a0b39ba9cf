"""The figures that can be had of scores and judgments, by name; how each is made."""
