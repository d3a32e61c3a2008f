"""A picture that both the official Qwen3-Omni and vLLM are given, as the patches that the encoder reads."""

from typing import Any

import numpy as np

from pipeline.models.shared.engine_io import MediaItem
from tests.contract.vllm.tiny_omni import IDS

GRID = (1, 6, 8)  # patches: in time, and up and down, and across; four are a token
TOKENS = 12


def shown() -> list[int]:
    """Its place in a prompt."""
    return [IDS["<|vision_start|>"], *[IDS["<|image_pad|>"]] * TOKENS, IDS["<|vision_end|>"]]


def seen(prompt: list[int]) -> MediaItem:
    """What stands there, for vLLM."""
    return MediaItem("image", "picture", prompt.index(IDS["<|image_pad|>"]), TOKENS, _item)


def patches() -> dict[str, Any]:
    """The same, for the official model."""
    import torch

    values = np.random.default_rng(9).standard_normal((GRID[1] * GRID[2], 3 * 2 * 16 * 16)).astype(np.float32)
    return {"pixel_values": torch.from_numpy(values), "image_grid_thw": torch.tensor([GRID])}


def _item() -> Any:
    from vllm.multimodal.inputs import (
        MultiModalBatchedField,
        MultiModalFieldElem,
        MultiModalFlatField,
        MultiModalKwargsItem,
    )

    told = patches()
    whole = MultiModalFlatField(slices=[slice(0, len(told["pixel_values"]))])
    return MultiModalKwargsItem(
        {
            "pixel_values": MultiModalFieldElem(told["pixel_values"], whole),
            "image_grid_thw": MultiModalFieldElem(told["image_grid_thw"][0], MultiModalBatchedField(keep_on_cpu=True)),
        }
    )
