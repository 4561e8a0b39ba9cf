"""What assessors are asked, and everything they answered. Measures of the answers live in measures/.

model       tasks, events, acknowledgements: the words all others use
"""
