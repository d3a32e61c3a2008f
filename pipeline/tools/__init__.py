"""Function tools: how they stand in a prompt, what a model's text calls, and whether a call fits its function."""
