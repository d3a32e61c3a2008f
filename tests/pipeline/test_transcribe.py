"""A sound becomes words, heard piece by piece."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from pipeline.chunks import SPEECH_RATE
from pipeline.engines.scripted import hears
from pipeline.errors import AuraError, RequestError
from pipeline.transcribe import Transcribed, transcribe
from pipeline.transcribe_command import add_transcribe, run_transcribe


def sound(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.full(int(seconds * SPEECH_RATE), 0.1, np.float32)


async def test_it_is_heard_every_two_seconds_and_at_its_end() -> None:
    recogniser, told = hears("one", "one two", "one two three", pass_s=0.1), list[str]()
    heard = await transcribe(sound(5), "en", recogniser, told.append)
    assert [(window.audio_end_ms, window.settles) for window in recogniser.prompts] == [
        (2_000, False),
        (4_000, False),
        (5_000, True),
    ]
    assert told == ["one two three"]
    assert (heard.text, heard.sound_s) == ("one two three", 5.0)
    assert (round(heard.taken_s, 3), round(heard.tail_s, 3)) == (0.3, 0.1)


async def test_half_an_hour_is_cut_into_utterances() -> None:
    recogniser = hears("so")
    heard = await transcribe(sound(1_800), None, recogniser, lambda _: None)
    settled = [window.audio_end_ms for window in recogniser.prompts if window.settles]
    assert max(settled) <= 26_000
    assert sum(settled) == pytest.approx(1_800_000, abs=len(settled))
    assert heard.text == "\n".join(["so"] * len(settled))


async def test_no_sound_is_refused() -> None:
    with pytest.raises(RequestError, match="file: there is no sound in it"):
        await transcribe(sound(0), None, hears("x"), lambda _: None)


def test_what_is_told_at_the_end() -> None:
    assert str(Transcribed("Hi.", "English", 4.0, 1.0, 0.025)) == (
        "4.0 s of sound in English, words at most 25 ms after its end, real-time factor 0.25"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("a.wav", "--model", "nowhere"), "--model: nowhere is no folder"),
        (("a.wav", "--model-dir", "nowhere"), "--model-dir: nowhere/Qwen3-ASR-1.7B is no folder"),
        (("nowhere.wav", "--model", "."), r"file: nowhere\.wav cannot be read"),
    ],
)
def test_the_command_says_what_is_missing_before_it_loads_anything(
    arguments: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    parser = argparse.ArgumentParser()
    add_transcribe(parser.add_subparsers())
    with pytest.raises(AuraError, match=reason):
        run_transcribe(parser.parse_args(["transcribe", *arguments]), tmp_path)
