"""The whole chain offline, with scripted engines: a film, a question as sound or text, an answer as words and sound."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pipeline.asking.question import AskResult, ask
from pipeline.asking.stages import OfflineStages, ignore
from pipeline.cli.ask import add_ask, heard_in, run_ask
from pipeline.deployment.loading import Deployment, StageDeployment
from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.errors import AuraError, EngineError, RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.segmentation import Pcm
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chunks import AudioChunk, Clause
from tests.scenario import Line

SOUND = np.full(3 * SPEECH_RATE, 0.1, np.float32)


async def asked(line: Line, question: str | Pcm, language: str | None = None) -> AskResult:
    return await ask(OfflineStages.of(line.stages()), [], question, ignore, ignore, language)


async def test_a_question_is_heard_and_answered_aloud() -> None:
    line = Line(hears("What is this?", pass_s=0.5), writes("A cup.", first_s=0.2), speaks(clause_s=0.1))
    told: list[str] = []
    film = [VideoChunk(f"{number}", tuple(np.zeros((2, 64, 64, 3), np.uint8))) for number in range(3)]
    words = list[str]()
    spoken = await ask(OfflineStages.of(line.stages()), film, SOUND, words.append, told.append)
    assert (spoken.question, spoken.text, told) == ("What is this?", "A cup.", ["What is this?"])
    assert words == ["A", " cup."], "each is told as it is written"
    assert len(spoken.pcm) == 2 * 0.3 * 24_000 * 2
    assert spoken.first_ms["words"] == pytest.approx(700), "half a second of it to hear the end"
    assert spoken.first_ms["sound"] == pytest.approx(800)
    assert str(spoken) == "first words after 700 ms, first sound after 800 ms, 800 ms in all"
    assert len(line.read_ahead) == 3, "each second is read as it is over"
    assert [chat.messages[-1].text for chat in line.questions] == ["What is this?"]


async def test_of_a_long_question_is_told_how_much_the_model_did_not_see() -> None:
    line = Line(hears("Well. " * 1_500 + "What is this?"), writes("A cup."))
    spoken = await asked(line, SOUND)
    assert spoken.unseen == 3_101, "of 9,013, a tenth at a time until 6,000 have room"
    assert str(spoken).startswith("of the question the first 3,101 bytes had no room, first words after ")


async def test_a_question_is_heard_in_the_language_that_is_named() -> None:
    line = Line()
    await asked(line, SOUND, "fr")
    assert {window.language for window in line.asr.prompts} == {"fr"}
    deployment = Deployment(
        1, (StageDeployment(0, engine_args={"model": "asr", "language": "auto"}), StageDeployment(1))
    )
    vad, others = heard_in("fr", deployment).stages
    assert (vad.engine_args, others) == ({"model": "asr", "language": "fr"}, StageDeployment(1))
    assert heard_in(None, deployment) == deployment


async def test_silence_has_no_sound() -> None:
    spoken = await asked(Line(aura=writes("")), "Mhm.")
    assert (spoken.text, spoken.pcm, spoken.first_ms) == ("", b"", {})


async def test_a_stage_that_fails_is_named() -> None:
    def script(clause: Clause) -> Iterator[tuple[float, AudioChunk | EngineError]]:
        yield 0.1, EngineError("tts", "out of memory")

    with pytest.raises(EngineError, match="tts: out of memory"):
        await asked(Line(tts=FakeEngine(script)), "Hello?")
    with pytest.raises(RequestError, match="there is no sound in it"):
        await asked(Line(), np.zeros(0, np.float32))


def test_what_cannot_be_asked_is_told_before_an_engine_starts(tmp_path: Path) -> None:
    audio = tmp_path / "question.wav"
    audio.write_bytes(b"no sound")
    parser = argparse.ArgumentParser()
    add_ask(parser.add_subparsers())
    for arguments, told in (
        (("--audio", str(audio)), "is no WAV file that can be heard"),
        (("--text", "Hi?", "-o", str(tmp_path / "no" / "where.wav")), "cannot be written"),
        (("--text", "Hi?", "-o", str(tmp_path / "a.wav"), "--video", str(tmp_path / "b.mp4")), "is no file"),
        (("--audio", str(audio), "--stage-configs-path", "nowhere.yaml"), "is no WAV file"),
    ):
        with pytest.raises(AuraError, match=told):
            run_ask(parser.parse_args(["ask", *arguments]), tmp_path)
    assert list(tmp_path.iterdir()) == [audio]
