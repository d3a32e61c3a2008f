"""A question put to a pipeline without a server: its stages opened as `serve` does, and what they answer."""
