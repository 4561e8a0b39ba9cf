"""What people answered, in tables."""
