"""AURA, a Qwen3-VL: its prompts' tokens, pictures, positions and weights."""
