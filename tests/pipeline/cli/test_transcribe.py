"""A sound becomes words, heard piece by piece."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from pipeline.asking.transcription import TranscribeResult, transcribe
from pipeline.cli.transcribe import add_transcribe, run_transcribe
from pipeline.engines.fake import hears
from pipeline.errors import AuraError, ConfigError, RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.wav import speech_file
from tests.pipeline.runtime.checkpoints import write_all


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
    assert str(TranscribeResult("Hi.", "English", 4.0, 1.0, 0.025)) == (
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
    with pytest.raises(AuraError, match=reason):
        run_transcribe(command(*arguments), tmp_path)


def test_a_language_that_the_checkpoint_lacks_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    write_all(tmp_path)
    with speech_file(tmp_path / "a.wav") as file:
        file.writeframes(bytes(48_000))
    request = command(str(tmp_path / "a.wav"), "--model-dir", str(tmp_path), "--language", "klingon")
    with pytest.raises(ConfigError, match=r"`language` is 'klingon', not one of Cantonese, .* or `auto`"):
        run_transcribe(request, tmp_path)


def command(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_transcribe(parser.add_subparsers())
    return parser.parse_args(["transcribe", *arguments])
