"""Qwen3-TTS: the Talker on vLLM, which makes a whole codec frame in one step."""
