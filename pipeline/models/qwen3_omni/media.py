"""Gives vLLM's Qwen3-Omni what is heard and seen as its processor would: each is an item, which it keeps."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import TOKEN_PX, VideoChunk
from pipeline.models.aura.media import clip_item
from pipeline.models.qwen3_asr.mel import HOP, LEAST, LogMel
from pipeline.models.qwen3_asr.windows import EncoderWindow, audio_tokens
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.shared.engine_io import MediaItem

SECOND = 1.0  # that the two frames of a camera's second stand for
Part = str | VideoChunk | SpokenSound


def engine_prompt(
    parts: Sequence[Part], text: OmniText, config: OmniConfig, salt: str
) -> tuple[tuple[int, ...], tuple[MediaItem, ...]]:
    """All ids, and what stands in the place of those for sound and pictures."""
    thinker, ids, media = config.thinker, list[int](), list[MediaItem]()
    for part in parts:
        if isinstance(part, str):
            ids += text.ids(part)
            continue
        if isinstance(part, SpokenSound):
            item, id_ = heard_item(part, len(ids), salt), thinker.audio_token_id
        else:
            item = seen_item(part, len(ids), salt)
            id_ = thinker.video_token_id if part.moves else thinker.image_token_id
        media.append(item)
        ids += [id_] * item.tokens
    return tuple(ids), tuple(media)


def heard_item(sound: SpokenSound, at: int, salt: str) -> MediaItem:
    """A person's sound, in the place of as many tokens as the encoder makes of it."""
    tokens = audio_tokens(max(len(sound.pcm), LEAST) // HOP)
    return MediaItem("audio", f"{salt}/{sound.id}/{sound.samples}", at, tokens, partial(_spectrum, sound))


def seen_item(clip: VideoChunk, at: int, salt: str) -> MediaItem:
    """A picture, or a second of video."""
    kind = "video" if clip.moves else "image"
    height, width = clip.size
    grid = height // TOKEN_PX, width // TOKEN_PX
    return MediaItem(kind, f"{salt}/{clip.id}", at, clip.tokens, partial(_pixels, clip), grid=grid)


def _spectrum(sound: SpokenSound) -> Any:
    from pipeline.models.qwen3_asr.media import item

    return item(EncoderWindow(sound.id, np.asfortranarray(LogMel()(sound.pcm))))


def _pixels(clip: VideoChunk) -> Any:
    import torch

    return clip_item(clip, ("second_per_grid_ts", torch.tensor(SECOND)))
