"""A judge that somebody else has made scores the recordings that the bench of turn taking writes: `hotato`."""

from pathlib import Path
from typing import Any

import hotato
import numpy as np
import pytest

from infra.bench.base.speech import RATE, PersonVoice, Sound
from infra.bench.turn_taking.heard import judge
from infra.bench.turn_taking.place import KnownSound
from infra.bench.turn_taking.two_channels import write_two_channels
from tests.infra.bench.turn_taking.known import ear, silence

pytestmark = pytest.mark.contract


@pytest.fixture(scope="module")
def said() -> Sound:
    return PersonVoice().say("No, wait a moment, please.")


@pytest.fixture(scope="module")
def answer() -> Sound:
    """More than six seconds of speech, 24 kHz mono."""
    told = "The old fisherman lived on a small green island, his boat was painted blue, and the gulls knew him by name."
    return np.ascontiguousarray(PersonVoice().say(told)[::2])


def verdict(path: Path, expect: str) -> dict[str, Any]:
    (event,) = hotato.run_single(stereo=str(path), expect=expect, onset_sec=2.0)["events"]
    assert event["measurements"]["agent_talking_at_onset"]
    return dict(event["verdict"])


def test_both_say_of_an_answer_that_stops_that_it_yields(said: Sound, answer: Sound, tmp_path: Path) -> None:
    heard = ear(answer[: round(2.4 * 24_000)], silence(3.6), sound_s=len(said) / RATE)
    assert judge(heard, KnownSound(answer)).fate == "stopped"
    told = verdict(write_two_channels(tmp_path / "yields.wav", said, heard), "yield")
    assert (told["passed"], told["did_yield"]) == (True, True)
    assert told["seconds_to_yield"] == pytest.approx(0.4, abs=0.15)


def test_both_say_of_an_answer_that_goes_on_that_it_holds(said: Sound, answer: Sound, tmp_path: Path) -> None:
    heard = ear(answer[: 6 * 24_000], sound_s=len(said) / RATE)
    assert judge(heard, KnownSound(answer)).fate == "went_on"
    told = verdict(write_two_channels(tmp_path / "holds.wav", said, heard), "hold")
    assert (told["passed"], told["did_yield"]) == (True, False)
