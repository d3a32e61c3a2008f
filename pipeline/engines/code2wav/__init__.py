"""The speech decoder of Qwen3-TTS in a batching process of its own: codec frames in, sound out."""
