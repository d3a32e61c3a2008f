"""What several models need: configurations, weights, tokenizers, rotary positions, an engine's input and output."""
