"""A package, so that its fixtures of that scope end with it: Playwright can run only once at a time."""
