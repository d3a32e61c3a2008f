"""How a convolution is cut into tiles, as was quickest on one H100."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tile:
    """What one program computes, and how.

    Attributes:
        rows: Steps of the output.
        columns: Channels of the output.
        deep: Numbers of each sum that are multiplied together.
        stages: How many of such parts are on their way at once.
    """

    rows: int
    columns: int
    deep: int
    warps: int
    stages: int


def fits(inner: int) -> bool:
    """Whether a convolution of so many input channels can be cut."""
    return inner % 32 == 0


def tile_for(rows: int, inner: int, outer: int, taps: int) -> Tile:
    """The tile for so many steps of all streams together, channels of the input and of the output, and taps.

    Source: 33 tiles timed on one H100 for the layers of Qwen3-TTS and chunks of 1 to 200 frames in all, 2026-11-27;
    `tests.gpu.vocoder` does it again.
    """
    deepest = next(deep for deep in (128, 64, 32) if inner % deep == 0)
    deep = min(deepest, 64)

    def programs(height: int, width: int) -> int:
        return -(-rows // height) * -(-outer // width)

    if taps == 1 and deep == 32:
        return Tile(128 if programs(128, 32) >= 200 else 32, 32, 32, 4, 4)
    if taps == 1 and rows >= 64 and programs(64, 64) >= 40:
        return Tile(64, 64, deep, 4, 4)
    if rows >= 128 and programs(128, 128) >= 200:
        return Tile(128, 128, deep, 4, 4 if deep == 32 else 3)
    if rows >= 128 and programs(128, 64) >= 90:
        return Tile(128, 64, deep, 4, 4)
    if deep == 32:
        return Tile(64, 32, 32, 4, 4)
    if rows >= 64 and programs(64, 64) >= 40:
        return Tile(64, 64, deepest, 4, 3)
    if rows >= 32 and programs(32, 32) >= 100:
        return Tile(32, 32, deepest, 4, 3)
    return Tile(16, 32, deepest, 4, 4)
