"""A text becomes a WAV file, or it is told beforehand why it cannot."""

import argparse
import wave
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.asking.stages import ignore
from pipeline.cli.say import SayResult, add_say, run_say, say
from pipeline.engines.base import Engine
from pipeline.errors import AuraError, EngineError, RequestError
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.topology.processors.aura import aura2tts
from pipeline.topology.processors.embedded import text2clauses
from pipeline.topology.processors.handover import talker2code2wav_async_chunk
from pipeline.turns.stage import Stage
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES, AudioChunk, Clause, CodecChunk


class Frames:
    """Speaks a frame for each word of a clause."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []

    async def generate(self, request_id: str, prompts: AsyncIterator[Clause]) -> AsyncGenerator[CodecChunk, None]:
        async for clause in prompts:
            self.clauses.append(clause)
            if clause.voice == "bob":
                raise EngineError("qwen3_tts", "unknown voice `bob`")
            yield CodecChunk(np.zeros((len(clause.text.split()), CODEBOOKS), np.int16), clause.text, ends=True)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


class Waves:
    async def generate(self, request_id: str, prompts: AsyncIterator[CodecChunk]) -> AsyncGenerator[AudioChunk, None]:
        async for codes in prompts:
            yield AudioChunk(b"\1\0" * FRAME_SAMPLES * len(codes.frames), codes.text)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


def voice_of(talker: Engine[Clause, CodecChunk]) -> tuple[Stage[Any, Any], ...]:
    """The two stages that make sound of clauses, the second of which is scripted."""
    return (
        Stage(AURA_OMNI_PIPELINE.stage("qwen3_tts"), talker, aura2tts),
        Stage(AURA_OMNI_PIPELINE.stage("code2wav"), Waves(), talker2code2wav_async_chunk),
    )


MANNER = Clause("", "vivian", language="english", instructions="Softly.")


async def test_all_of_the_text_is_in_the_file_in_the_manner_that_was_asked_for(tmp_path: Path) -> None:
    frames, told = Frames(), list[SayResult]()
    said = await say("One two. Three four five.", MANNER, voice_of(frames), tmp_path / "out.wav", told.append)
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        assert file.getnframes() == 5 * FRAME_SAMPLES
    assert [clause.text for clause in frames.clauses] == ["One two.", " Three four five."]
    assert {(clause.voice, clause.language, clause.instructions) for clause in frames.clauses} == {
        ("vivian", "english", "Softly.")
    }
    assert said == told[-1]
    assert said.sound_s == pytest.approx(0.4)


EVERY_KIND = {
    "10,000 characters": "One two three four. " * 500,
    "10,000 characters without an end": "without an end " * 667,
    "ten languages": " ".join(
        (
            *(
                "Good morning.",
                "早上好。",
                "おはよう。",
                "안녕하세요.",
                "Guten Morgen, schöne Grüße.",
                "Bonjour, ça va ?",
            ),
            *("Доброе утро.", "Bom dia, irmão.", "¿Qué tal?", "Perché no?"),
        )
    ),
    "control characters": "Yes\x00\x07, in\u200bdeed\x1b[2J \ud83d.",
    "emoji among words": "🎉 Well 🎊 done. 👍🏽",
}


@pytest.mark.parametrize("text", EVERY_KIND.values(), ids=EVERY_KIND)
async def test_every_kind_of_text_reaches_the_voice_whole_and_the_next_one_too(tmp_path: Path, text: str) -> None:
    frames = Frames()
    voice, out = voice_of(frames), tmp_path / "out.wav"
    for said in (text, "And now this."):
        frames.clauses.clear()
        await say(said, MANNER, voice, out, ignore)
        assert "".join(clause.text for clause in frames.clauses) == said
        assert max(len(clause.text) for clause in frames.clauses) <= 240
        with wave.open(str(out)) as file:
            assert file.getnframes() == FRAME_SAMPLES * sum(len(clause.text.split()) for clause in frames.clauses)


async def test_what_a_voice_cannot_say_leaves_what_it_has_said_and_the_next_text_is_spoken(tmp_path: Path) -> None:
    frames, out = Frames(), tmp_path / "out.wav"
    with pytest.raises(EngineError, match="unknown voice `bob`"):
        await say("One two. Three.", replace(MANNER, voice="bob"), voice_of(frames), out, ignore)
    assert out.exists()
    assert (await say("One two.", MANNER, voice_of(frames), out, ignore)).sound_s == pytest.approx(0.16)


class Tones:
    """A voice that is one engine: a tenth of a second for each word."""

    async def generate(self, request_id: str, prompts: AsyncIterator[Clause]) -> AsyncGenerator[AudioChunk, None]:
        async for clause in prompts:
            yield AudioChunk(b"\1\0" * 2_400 * len(clause.text.split()), clause.text)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


async def test_a_voice_of_one_engine_speaks_too(tmp_path: Path) -> None:
    voice = (Stage(EMBEDDED_PIPELINE.stage("tts"), Tones(), text2clauses),)
    said = await say("One two. Three four five.", MANNER, voice, tmp_path / "out.wav", ignore)
    assert said.sound_s == pytest.approx(0.5)


async def test_a_text_in_which_nothing_can_be_spoken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="text: there is nothing"):
        await say("", MANNER, voice_of(Frames()), tmp_path / "out.wav", ignore)


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"out: .*nowhere/out\.wav cannot be written"):
        await say("Hi.", MANNER, voice_of(Frames()), tmp_path / "nowhere" / "out.wav", ignore)


def test_the_real_time_factor_is_work_for_a_second_of_speech() -> None:
    assert str(SayResult(2.0, 0.05, 0.5)) == "2.0 s of speech, the first after 50 ms, real-time factor 0.25"


def command(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_say(parser.add_subparsers())
    return parser.parse_args(["say", *arguments])


@pytest.mark.parametrize("text", ["", "  \n", "🎉🎊", "\x00\x07", "?!"])
def test_a_text_without_anything_to_speak(tmp_path: Path, text: str) -> None:
    with pytest.raises(AuraError, match="text: there is nothing in it that can be spoken"):
        run_say(command(text, "-o", str(tmp_path / "out.wav"), "--model", str(tmp_path)), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["nowhere/out.wav", "."])
def test_a_file_that_cannot_be_written(tmp_path: Path, out: str) -> None:
    with pytest.raises(AuraError, match=r"--out: .* cannot be written"):
        run_say(command("Hi.", "-o", str(tmp_path / out), "--model", str(tmp_path)), tmp_path)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(AuraError, match=r"--model: .*nowhere is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav"), "--model", str(tmp_path / "nowhere")), tmp_path)


def test_options_that_the_embedded_voice_has_no_use_for(tmp_path: Path) -> None:
    out = str(tmp_path / "out.wav")
    with pytest.raises(AuraError) as refused:
        run_say(command("Hi.", "-o", out, "--embedded", "--model-dir", ".", "--voice", "vivian"), tmp_path)
    assert str(refused.value).splitlines() == [
        "say: --model-dir says nothing beside --embedded",
        "say: --voice says nothing beside --embedded",
    ]
    assert list(tmp_path.iterdir()) == []


def test_without_a_model_it_looks_where_models_are(tmp_path: Path) -> None:
    with pytest.raises(AuraError, match=r"--model: .*/models/Qwen3-TTS-12Hz-1.7B-CustomVoice is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav")), tmp_path)
    with pytest.raises(AuraError, match=r"--model-dir: here/Qwen3-TTS-12Hz-1.7B-CustomVoice is no folder"):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav"), "--model-dir", "here"), tmp_path)
