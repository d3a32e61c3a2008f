"""How much memory keys and values take: none, where a configuration leaves to a default what that follows from."""

import math

from pipeline.models.shared.decoder_config import DecoderConfig

SPARE_POSITIONS = 4 * 128  # blocks are of up to 128 positions; the first is vLLM's own


def kv_cache_bytes(decoder: DecoderConfig, size: int, positions: int) -> int:
    """Returns the bytes of a KV cache that holds so many positions and some to spare.

    Args:
        size: Bytes of a number.
        positions: Positions of all requests together.
    """
    return position_bytes(decoder, size) * (positions + SPARE_POSITIONS)


def position_bytes(decoder: DecoderConfig, size: int) -> int:
    taken = 2 * decoder.num_hidden_layers * decoder.num_key_value_heads * decoder.head_dim * size
    return 0 if math.isnan(taken) else taken
