"""The speech decoder of the 12 Hz tokenizer: codec frames to samples, in streams."""
