"""Gives vLLM's own Qwen3-VL what is seen as its processor would: each clip is a video or an image, which it keeps."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from pipeline.media.video_chunk import TOKEN_PX, Pixels, VideoChunk
from pipeline.models.aura.text import SEEN_AT_S, AuraText
from pipeline.models.shared.engine_io import MediaItem
from pipeline.types.chunks import MultimodalPrompt

FRAMES = 2  # of a patch
PATCH_PX = TOKEN_PX // 2
RUN = f"V{PATCH_PX}"  # a row of a patch in one colour, moved as one value
RGB = 3
SEEN = ("timestamps", [SEEN_AT_S])


def engine_prompt(scene: MultimodalPrompt, text: AuraText) -> tuple[tuple[int, ...], tuple[MediaItem, ...]]:
    """All ids, and what stands in the place of those for clips."""
    ids: list[int] = []
    media: list[MediaItem] = []
    for part in scene.parts:
        if isinstance(part, str):
            ids += text.ids(part)
            continue
        place = text.place(part)
        kind, name = "video" if part.moves else "image", f"{scene.cache_salt}/{part.id}"
        media.append(MediaItem(kind, name, len(ids) + place.first, part.tokens, partial(clip_item, part, SEEN)))
        ids += place.token_ids
    return tuple(ids), tuple(media)


def clip_item(clip: VideoChunk, seen: tuple[str, Any]) -> Any:
    """The keywords and the shapes that vLLM's model takes. It normalises pixels itself, where they are computed on.

    Args:
        seen: How the model is told when a video was seen: its keyword, and the value.
    """
    import torch
    from vllm.multimodal.inputs import (
        MultiModalBatchedField,
        MultiModalFieldElem,
        MultiModalFlatField,
        MultiModalKwargsItem,
    )

    pixels = torch.from_numpy(patches(clip.frames))
    height, width = clip.size
    grid = torch.tensor([1, height // PATCH_PX, width // PATCH_PX])
    whole, beside = MultiModalFlatField(slices=[slice(0, len(pixels))]), MultiModalBatchedField(keep_on_cpu=True)
    if not clip.moves:
        elements = {"pixel_values": (pixels, whole), "image_grid_thw": (grid, beside)}
    else:
        elements = {
            "pixel_values_videos": (pixels, whole),
            "video_grid_thw": (grid, beside),
            seen[0]: (seen[1], beside),
        }
    return MultiModalKwargsItem({name: MultiModalFieldElem(*element) for name, element in elements.items()})


def patches(frames: Sequence[Pixels]) -> Pixels:
    """One or two frames, each [height, width, 3] → [patches, 3 x 2 x 16 x 16]; the four of a token together."""
    height, width, _ = frames[0].shape
    colours = np.empty((RGB, len(frames), height, width), np.uint8)
    for place, frame in enumerate(frames):
        for colour in range(RGB):
            colours[colour, place] = frame[..., colour]
    runs = colours.view(RUN).reshape(RGB, len(frames), height // TOKEN_PX, 2, PATCH_PX, width // TOKEN_PX, 2)
    runs = np.broadcast_to(runs, (RGB, FRAMES, *runs.shape[2:]))  # a picture is shown twice
    by_token = np.ascontiguousarray(runs.transpose(2, 5, 3, 6, 0, 1, 4))
    return by_token.view(np.uint8).reshape(-1, RGB * FRAMES * PATCH_PX**2)
