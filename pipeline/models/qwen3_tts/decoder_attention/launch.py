"""Launches the attention of one layer."""

import triton
from torch import Tensor

from pipeline.models.qwen3_tts.decoder_attention.kernel import attend

TILE = 32  # positions of the cache that a program looks at together: 8 KiB of keys, and as many of values
CHUNK = 32  # tokens of a prompt
PROGRAMS = 132  # multiprocessors of an H100: of more programs two share one, and are quicker with half the warps


def attend_layer(
    output: Tensor,
    qkv: Tensor,
    positions: Tensor,
    query_start_loc: Tensor,
    block_table: Tensor,
    slot_mapping: Tensor,
    cache: Tensor,
    q_weight: Tensor,
    k_weight: Tensor,
    cos_sin_cache: Tensor,
    *,
    heads: int,
    epsilon: float,
    room: int,
    tile: int = TILE,
    warps: int | None = None,
) -> None:
    """Launches `attend`, whose shapes these are."""
    kv_heads, block_size, size = cache.shape[1], cache.shape[2], cache.shape[3] // 2
    apart = cache.stride()
    assert apart[3] == 1 and qkv.stride(1) == 1 and block_table.stride(1) == 1
    assert cos_sin_cache.shape[1] == size and cos_sin_cache.is_contiguous() and len(query_start_loc) <= room
    warps = warps or (8 if len(qkv) * kv_heads <= PROGRAMS else 4)
    attend[(len(qkv), kv_heads)](
        output, qkv, positions, query_start_loc, len(query_start_loc) - 1, block_table, slot_mapping,
        cache, q_weight, k_weight, cos_sin_cache,
        qkv.stride(0), block_table.stride(0), apart[0], apart[1], apart[2],
        HEADS=heads, KV_HEADS=kv_heads, SIZE=size, BLOCK_SIZE=block_size, EPSILON=epsilon,
        ROOM=room, TILE=tile, CHUNK=CHUNK, num_warps=warps,
    )  # fmt: skip


def room_for(requests: int) -> int:
    """What `room` is for so many requests at the most: one number, so that there is one kernel."""
    room: int = triton.next_power_of_2(requests + 1)
    return room
