"""The steps from one schema to the next. Once released, a step is never changed."""
