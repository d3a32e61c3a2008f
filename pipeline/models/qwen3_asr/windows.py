"""Cuts a spectrum where the encoder does not look across, so that vLLM keeps what it has made of each window."""

from collections.abc import Iterator

from pipeline.models.qwen3_asr.mel import Mel

CHUNK = 100  # frames that the convolutions see at once
_TOKENS_A_CHUNK = 13


def audio_tokens(frames: int) -> int:
    """How many tokens the encoder makes of so many frames: 13 of a chunk, and an eighth of the rest, rounded up."""
    return frames // CHUNK * _TOKENS_A_CHUNK + -(-(frames % CHUNK) // 8)


def encoder_windows(mel: Mel, window: int) -> Iterator[Mel]:
    """Pieces that encode one by one to what the whole encodes to.

    A rest that is shorter than a chunk stays with the window before it: alone, it would be padded less, and
    the convolutions see the padding.

    Args:
        mel: Shape [frames, bands].
        window: The frames that the encoder's attention sees at once, a multiple of `CHUNK`.
    """
    at = 0
    while len(mel) - at >= window + CHUNK:
        yield mel[at : at + window]
        at += window
    yield mel[at:]
