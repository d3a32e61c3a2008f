"""The decoder's kernels, interpreted on the CPU, do what its layers do one by one."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from pipeline.models.qwen3_tts.codec.fused.tiles import tile_for
from tests.pipeline.models.qwen3_tts import seeded_codec

needs_triton = pytest.mark.skipif(
    find_spec("triton") is None, reason="the kernel needs Triton, which the embedded profile has not"
)


@pytest.fixture(scope="module")
def compared() -> dict[str, Any]:
    """Of a process of its own: Triton decides when it is imported whether it interprets."""
    command = [sys.executable, "-m", "tests.pipeline.models.qwen3_tts.fused_vocoder_on_cpu"]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


@needs_triton
def test_the_wave_differs_by_no_more_than_rounded_factors_explain(compared: dict[str, Any]) -> None:
    errors = compared["errors"]
    assert len(errors) == 7
    assert {name: error for name, error in errors.items() if not error < 2e-3} == {}


@needs_triton
def test_the_transformer_is_as_exact_as_its_layers(compared: dict[str, Any]) -> None:
    """On a GPU both multiply in TF32."""
    assert compared["errors"]["attention"] < 1e-6
    assert compared["errors"]["layers"] < 1e-3, "its factors are rounded to TF32, to 0.0002 of each"


@needs_triton
def test_what_has_too_few_channels_for_a_tile_stays_as_it_is(compared: dict[str, Any]) -> None:
    assert compared["can be fused"] == [True, False]


@pytest.mark.parametrize("frames", [1, 2, 8, 25, 64, 200, 800])
def test_every_layer_of_the_voice_can_be_cut_into_tiles(frames: int) -> None:
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
