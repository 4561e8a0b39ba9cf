"""A package, so that its browser ends with it: Playwright can run only once at a time."""
