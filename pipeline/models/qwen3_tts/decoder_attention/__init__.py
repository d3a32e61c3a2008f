"""Attention of the Talker's decoder as one kernel a layer, over the cache that vLLM keeps."""
