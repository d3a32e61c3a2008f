"""Qwen3-ASR: its spectrum, prompt, transcript and weights, and its encoder in CUDA graphs."""
