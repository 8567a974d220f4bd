"""Pages made from the engine's own tables."""
