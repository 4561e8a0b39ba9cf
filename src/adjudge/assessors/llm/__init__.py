"""Language models as assessors: the prompt, the server, the answers, and what they cost."""
