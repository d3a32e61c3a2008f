"""Which of vLLM's steps are CUDA graphs."""

from typing import Any

from pipeline.media.video_chunk import MOST_TOKENS
from pipeline.models.qwen3_asr.windows import CHUNK, audio_tokens

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

# So is a look at a picture or a second of video: each is one graph, of the next larger of so many tokens.
LOOKING: dict[str, Any] = {
    "cudagraph_mm_encoder": True,
    "encoder_cudagraph_token_budgets": [*range(64, 513, 64), MOST_TOKENS],
    "encoder_cudagraph_max_vision_items_per_batch": 1,
    "encoder_cudagraph_max_frames_per_batch": 1,  # as the model counts them: two of a camera's
}

# And a window of sound, of the next larger of so many whole seconds. The last window of a sound may be of nine.
ENCODER: dict[str, Any] = {
    "cudagraph_mm_encoder": True,
    "encoder_cudagraph_token_budgets": [audio_tokens(seconds * CHUNK) for seconds in range(1, 10)],
    "encoder_cudagraph_max_vision_items_per_batch": 1,
}
