"""The Talker of Qwen3-TTS on vLLM: text in, codec frames out."""
