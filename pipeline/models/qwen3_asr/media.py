"""Gives windows of a spectrum to vLLM's own Qwen3-ASR as its processor would: each is an audio, which it keeps."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

import torch
from vllm.multimodal.inputs import (
    MultiModalBatchedField,
    MultiModalFieldElem,
    MultiModalFlatField,
    MultiModalKwargsItem,
)

from pipeline.models.qwen3_asr.prompt import AsrPrompt
from pipeline.models.qwen3_asr.windows import EncoderWindow, audio_tokens
from pipeline.models.shared.engine_io import MediaItem

_BESIDE = MultiModalBatchedField(keep_on_cpu=True)


def engine_prompt(prompt: AsrPrompt, pieces: Sequence[EncoderWindow]) -> tuple[tuple[int, ...], tuple[MediaItem, ...]]:
    """All ids, and what stands in the place of those for sound."""
    counts = [audio_tokens(len(piece)) for piece in pieces]
    begins = accumulate(counts, initial=prompt.audio_at)
    media = (
        MediaItem("audio", piece.name, at, tokens, partial(item, piece))
        for piece, at, tokens in zip(pieces, begins, counts, strict=False)
    )
    return prompt.spread(counts), tuple(media)


def item(piece: EncoderWindow) -> MultiModalKwargsItem:
    """The keywords and the shapes that vLLM's model takes."""
    frames = len(piece)
    spectrum = torch.from_numpy(piece.mel.T)
    whole = MultiModalFlatField(slices=[(slice(None), slice(0, frames))], dim=1)
    return MultiModalKwargsItem(
        {
            "input_audio_features": MultiModalFieldElem(spectrum, whole),
            "feature_attention_mask": MultiModalFieldElem(torch.ones(frames, dtype=torch.int64), _BESIDE),
            "audio_feature_lengths": MultiModalFieldElem(torch.tensor(frames), _BESIDE),
        }
    )
