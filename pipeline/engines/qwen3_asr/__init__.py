"""The recogniser on vLLM: Qwen3-ASR, with speculative decoding of what it wrote before."""
