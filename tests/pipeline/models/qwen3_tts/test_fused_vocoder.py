"""The vocoder with one kernel a convolution, interpreted on the CPU, makes the wave of its layers one by one."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from pipeline.models.qwen3_tts.codec.fused.tiles import tile_for
from tests.pipeline.models.qwen3_tts import seeded_codec

needs_triton = pytest.mark.skipif(
    find_spec("triton") is None, reason="the kernel needs Triton, which the embedded profile has not"
)


@pytest.fixture(scope="module")
def compared() -> dict[str, float]:
    """Of a process of its own: Triton decides when it is imported whether it interprets."""
    command = [sys.executable, "-m", "tests.pipeline.models.qwen3_tts.fused_vocoder_on_cpu"]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    found: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return found


@needs_triton
def test_the_wave_differs_by_no_more_than_rounded_factors_explain(compared: dict[str, float]) -> None:
    assert set(compared) == {"at once", "in chunks", "silent steps at the beginning", "a tile that is not filled"}
    assert {name: error for name, error in compared.items() if not error < 1e-3} == {}


@pytest.mark.parametrize("frames", [1, 2, 8, 25, 64, 200, 800])
def test_every_layer_is_cut_into_tiles_that_its_channels_fill(frames: int) -> None:
    width, steps = seeded_codec.FULL["decoder_dim"], 4 * frames
    for rate in seeded_codec.FULL["upsample_rates"]:
        for inner, outer, taps in (
            (width, rate * width // 2, 2),
            (width // 2, width // 2, 7),
            (width // 2, width // 2, 1),
        ):
            tile = tile_for(steps, inner, outer, taps)
            assert inner % tile.deep == 0
            assert tile.rows < 2 * max(steps, 16)
        width, steps = width // 2, steps * rate
