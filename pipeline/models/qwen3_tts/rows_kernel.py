"""The inputs of a step as one Triton kernel: as operations of torch they are a dozen, where a prompt is among them."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl
from torch import Tensor


def read_rows(
    out: Tensor,
    positions: Tensor,
    slots: Tensor,
    query_start_loc: Tensor,
    ids: Tensor,
    text: Tensor,
    codec: Tensor,
    frames: Tensor,
    *,
    frame: int,
    room: int,
) -> None:
    """Launches `_read`, whose shapes these are.

    Args:
        room: A power of two above the number of requests at the most.
    """
    width, requests = out.shape[1], len(slots)
    assert text.stride(0) == codec.stride(0) == frames.stride(0) == width and requests < room
    _read[(len(out),)](
        out, positions, slots, query_start_loc, requests, ids, text, codec, frames,
        out.stride(0), ids.stride(0), ids.stride(1),
        WIDTH=width, LINE=triton.next_power_of_2(width), FRAME=frame, ROOM=room,
    )  # fmt: skip


@triton.jit(do_not_specialize=["requests"])
def _read(
    out, positions, slots, query_start_loc, requests, ids, text, codec, frames, line, slot_apart, kind_apart,
    WIDTH: tl.constexpr, LINE: tl.constexpr, FRAME: tl.constexpr, ROOM: tl.constexpr,
):  # fmt: skip
    """One program a token.

    Args:
        out: [tokens, WIDTH], written, `line` apart.
        positions: [tokens], int64, in their requests.
        slots: [requests], int64.
        query_start_loc: [requests + 1], int32: the first token of each request, and the number of tokens.
        ids: [slots, 2, positions], int32: the text id and the codec id of each. Of codec ids `FRAME` stands for what is
            in `frames`, and others below zero for nothing.
        text, codec: [ids, WIDTH]: what an id adds.
        frames: [slots, WIDTH].
    """
    token = tl.program_id(0)
    at = tl.arange(0, ROOM)
    begins = tl.load(query_start_loc + at, mask=at < requests, other=2147483647)
    request = tl.sum((begins <= token).to(tl.int32), 0) - 1
    slot = tl.load(slots + request)
    told = ids + slot * slot_apart + tl.load(positions + token)
    text_id = tl.load(told).to(tl.int64)
    codec_id = tl.load(told + kind_apart).to(tl.int64)
    d = tl.arange(0, LINE)
    inside = d < WIDTH
    there = inside & (codec_id >= 0)
    beside = tl.load(codec + codec_id * WIDTH + d, mask=there, other=0.0)
    last = tl.load(frames + slot * WIDTH + d, mask=inside & (codec_id == FRAME), other=0.0)
    said = tl.load(text + text_id * WIDTH + d, mask=inside, other=0.0)
    # Of what is beside the text one is zero.
    total = said.to(tl.float32) + (beside.to(tl.float32) + last.to(tl.float32))
    tl.store(out + token.to(tl.int64) * line + d, total.to(out.dtype.element_ty), mask=inside)
