"""Launches the attention of one layer."""

import triton
from torch import Tensor

from pipeline.models.qwen3_tts.decoder_attention.kernel import attend

TILE = 32  # positions of the cache that a program looks at together: 8 KiB of keys, and as many of values
CHUNK = 32  # tokens of a prompt
WARPS = 8


def attend_layer(
    seen: Tensor,
    projected: Tensor,
    positions: Tensor,
    starts: Tensor,
    tables: Tensor,
    slots: Tensor,
    cache: Tensor,
    q_gain: Tensor,
    k_gain: Tensor,
    turns: Tensor,
    *,
    heads: int,
    epsilon: float,
    starts_room: int,
    tile: int = TILE,
) -> None:
    """Launches `attend`, whose shapes these are."""
    groups, page, size = cache.shape[1], cache.shape[2], cache.shape[3] // 2
    apart = cache.stride()
    assert apart[3] == 1 and projected.stride(1) == 1 and tables.stride(1) == 1
    assert turns.shape[1] == size and turns.is_contiguous() and len(starts) <= starts_room
    attend[(len(projected), groups)](
        seen, projected, positions, starts, len(starts) - 1, tables, slots,
        cache, q_gain, k_gain, turns,
        projected.stride(0), tables.stride(0), apart[0], apart[1], apart[2],
        HEADS=heads, GROUPS=groups, SIZE=size, PAGE=page, EPSILON=epsilon,
        STARTS=starts_room, TILE=tile, CHUNK=CHUNK, num_warps=WARPS,
    )  # fmt: skip


def room_for(requests: int) -> int:
    """What `starts_room` is for so many requests at the most: one number, so that there is one kernel."""
    room: int = triton.next_power_of_2(requests + 1)
    return room
