"""What vLLM does not bring: models, their checkpoints, and the entry point that registers them."""
