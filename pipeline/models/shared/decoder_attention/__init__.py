"""Attention of a Qwen3 decoder as one kernel a layer, over the cache that vLLM keeps."""
