"""Which of vLLM's steps are CUDA graphs."""

from typing import Any

# Each step is one graph, prompts included, of vLLM's own kernels: nothing is compiled when it starts.
GRAPHS: dict[str, Any] = {
    "mode": 0,
    "cudagraph_mode": "FULL",
    "cudagraph_capture_sizes": [
        1,
        2,
        4,
        *range(8, 65, 8),
        *range(80, 129, 16),
        *range(160, 257, 32),
        320,
        384,
        448,
        512,
    ],
}
