"""What assessors are asked, and everything they answered."""
