"""What all engines on vLLM share: starting it, its requests, sampling, memory, CUDA graphs."""
