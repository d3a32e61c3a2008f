"""Which requests share a step of an engine: those that somebody waits for first."""
