"""Weights of 8 bits: those that vLLM rounds as it loads a checkpoint, and what of a model is not rounded."""

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.models.shared.weight_files import BYTES, FLOATS, Stored, weight_bytes

# vLLM's own names: how many weights have a scale in common. What is multiplied with them gets one a token or a block.
ONLINE = ("fp8_per_channel", "fp8_per_tensor", "fp8_per_block")
SERIALISED = "fp8"  # of a checkpoint that was rounded before
WIDE = ("bfloat16", "float16")  # what is left as it is


def quantised(quantization: str | None, kept: Sequence[str]) -> dict[str, Any]:
    """Returns vLLM's arguments.

    Args:
        quantization: As vLLM names it; None: as the checkpoint says.
        kept: Patterns of the names of vLLM's layers that are not rounded. Embeddings, norms and the head never are.
    """
    if quantization is None:
        return {}
    told: dict[str, Any] = {"quantization": quantization}
    return told | {"quantization_config": {"ignore": [*kept]}} if quantization in ONLINE else told


def faults(quantization: str | None, dtype: str, stored: object = None) -> Iterator[str]:
    """Yields why a checkpoint's weights cannot be as the file says.

    Args:
        stored: The checkpoint's own `quantization_config`, or nothing.
    """
    if quantization in ONLINE and stored:
        yield f"`quantization` is {quantization}, and the checkpoint is quantised already: leave the key out"
    elif quantization in ONLINE and dtype not in WIDE:
        yield f"`quantization` {quantization} needs `dtype` {' or '.join(WIDE)}, and it is {dtype}"
    elif quantization == SERIALISED and not stored:
        yield f"`quantization` {SERIALISED} is of checkpoints that are quantised already; for others say {ONLINE[0]}"


def loaded_bytes(tensors: Sequence[Stored], dtype: str, quantization: str | None, rounded: str) -> int:
    """Counts the bytes of weights when they are loaded.

    Args:
        rounded: How the names of those begin whose matrices `quantization` rounds.
    """
    whole = weight_bytes(tensors, dtype)
    if quantization not in ONLINE:
        return whole
    matrices = [each for each in tensors if each.name.startswith(rounded) and len(each.shape) == 2]
    halved = [each for each in matrices if each.kind in FLOATS]
    return whole - weight_bytes(halved, dtype) * (BYTES[dtype] - 1) // BYTES[dtype]
