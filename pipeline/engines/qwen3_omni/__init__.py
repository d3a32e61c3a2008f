"""Qwen3-Omni on vLLM: a thinker that writes and hands on what it heard, and a talker that speaks as it writes."""
