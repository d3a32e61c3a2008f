"""Qwen3-Omni: the thinker, the talker and the sound of its codes, out of one checkpoint."""
