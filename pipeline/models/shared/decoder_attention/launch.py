"""Launches the attention of one layer."""

from dataclasses import dataclass
from typing import Self

import torch
import triton
from torch import Tensor

from pipeline.models.shared.decoder_attention.kernel import attend

TILE = 32  # positions of the cache that a program looks at together: 8 KiB of keys, and as many of values
CHUNK = 32  # tokens of a prompt
PARTS, PART = 4, 32  # most programs that share a past; one more for each so many positions of it
PARTED = 16  # tokens of a step at the most, beyond which there are enough programs without that
PROGRAMS = 132  # multiprocessors of an H100: of more programs two share one, and are quicker with half the warps
SHORT = 64  # tokens of a step, beyond which vLLM's attention, of many tokens at once, is as quick


@dataclass(frozen=True, slots=True, eq=False)
class Sharing:
    """Room in which programs that share a past find each other. One is enough for all layers, one after the other.

    Attributes:
        found, arrivals: As `attend` has them.
        parts: Most programs of one past.
        part: Positions for each of which one more is at work.
    """

    found: Tensor
    arrivals: Tensor
    parts: int = PARTS
    part: int = PART

    @classmethod
    def of(
        cls, device: torch.device | str, *, heads: int, kv_heads: int, size: int, parts: int = PARTS, part: int = PART
    ) -> Self:
        share = triton.next_power_of_2(heads // kv_heads)
        found = torch.empty(PARTED, kv_heads, parts, share, size + 2, dtype=torch.float32, device=device)
        return cls(found, torch.zeros(PARTED, kv_heads, dtype=torch.int32, device=device), parts, part)


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
    sharing: Sharing,
    tile: int = TILE,
    warps: int | None = None,
) -> None:
    """Launches `attend`, whose shapes these are."""
    kv_heads, block_size, size = cache.shape[1], cache.shape[2], cache.shape[3] // 2
    apart = cache.stride()
    assert apart[3] == 1 and qkv.stride(1) == 1 and block_table.stride(1) == 1
    assert cos_sin_cache.shape[1] == size and cos_sin_cache.is_contiguous() and len(query_start_loc) <= room
    parts = sharing.parts if len(qkv) <= len(sharing.arrivals) else 1
    warps = warps or (8 if len(qkv) * kv_heads * parts <= PROGRAMS else 4)
    attend[(len(qkv), kv_heads, parts)](
        output, qkv, positions, query_start_loc, len(query_start_loc) - 1, block_table, slot_mapping,
        cache, q_weight, k_weight, cos_sin_cache, sharing.found, sharing.arrivals,
        qkv.stride(0), block_table.stride(0), apart[0], apart[1], apart[2],
        HEADS=heads, KV_HEADS=kv_heads, SIZE=size, BLOCK_SIZE=block_size, EPSILON=epsilon,
        ROOM=room, TILE=tile, CHUNK=CHUNK, PARTS=parts, PART=sharing.part, num_warps=warps,
    )  # fmt: skip


def room_for(requests: int) -> int:
    """What `room` is for so many requests at the most: one number, so that there is one kernel."""
    room: int = triton.next_power_of_2(requests + 1)
    return room
