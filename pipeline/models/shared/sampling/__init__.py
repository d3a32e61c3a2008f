"""What stands in the place of vLLM's sampler, where a model needs less of it, or more."""
