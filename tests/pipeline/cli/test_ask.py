"""`aura-pipeline ask`, with a scripted engine."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from pipeline.asking.question import ask
from pipeline.asking.stages import OfflineStages, ignore
from pipeline.cli.ask import add_ask, run_ask
from pipeline.context.window import WindowLimits
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine
from pipeline.errors import ConfigError, EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.processors.aura import asr2aura
from pipeline.turns.stage import Stage
from pipeline.types.chunks import MultimodalPrompt, TextChunk

LIMITS = WindowLimits(keep_s=6, slack_s=3)


def alone(aura: Engine[MultimodalPrompt, TextChunk], limits: WindowLimits = LIMITS) -> OfflineStages:
    """AURA, and no other stage."""
    stages = (Stage(AURA_OMNI_PIPELINE.stage("aura"), aura, asr2aura),)
    return OfflineStages(None, stages, stages, limits)


async def test_each_second_is_read_and_then_the_question_is_answered() -> None:
    aura: FakeEngine[MultimodalPrompt, TextChunk] = FakeEngine(
        lambda scene: (
            [(0.2, TextChunk("A ")), (0.1, TextChunk("cup."))] if scene.max_tokens else [(0.05, TextChunk(""))]
        )
    )
    told: list[str] = []
    film = [VideoChunk(f"{number}", tuple(np.zeros((2, 64, 64, 3), np.uint8))) for number in range(12)]
    answered = await ask(alone(aura), film, "What is it?", told.append, ignore)
    assert (answered.text, "".join(told)) == ("A cup.", "A cup.")
    assert len(answered.prefill_ms) == 12
    assert answered.remembered == 6
    assert answered.prefill_ms[0] == pytest.approx(50)
    assert answered.first_ms == {"words": pytest.approx(200)}
    assert answered.taken_ms == pytest.approx(300)
    assert answered.video == "12 s of video (6 remembered), 50 ms for a second (median)"
    assert str(answered) == "first words after 200 ms, 300 ms in all"


async def test_silence_is_an_answer() -> None:
    aura: FakeEngine[MultimodalPrompt, TextChunk] = FakeEngine(lambda scene: [])
    answered = await ask(alone(aura), [], "", ignore, ignore)
    assert (answered.text, answered.first_ms, answered.video) == ("", {}, "")


async def test_a_second_that_cannot_be_read_is_told() -> None:
    aura: FakeEngine[MultimodalPrompt, TextChunk] = FakeEngine(lambda scene: [(0.1, EngineError("aura", "no memory"))])
    with pytest.raises(EngineError, match="aura: no memory"):
        await ask(
            alone(aura), [VideoChunk("0", tuple(np.zeros((2, 64, 64, 3), np.uint8)))], "What is it?", ignore, ignore
        )
    assert [prompt.max_tokens for prompt in aura.prompts] == [0]


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        (["--model", "nowhere", "--text", "Hm?"], ["--model: nowhere is no folder"]),
        (["--model-dir", "nowhere", "--text", "Hm?"], ["--model-dir: nowhere/AURA is no folder"]),
        (
            ["--model", ".", "--model-dir", ".", "--text", "Hm?"],
            ["--model: it is the folder of the checkpoint itself: --model-dir says nothing beside it"],
        ),
        (["--model", "."], ["ask: there is neither --text nor --audio nor --video"]),
        (["--out", "a.wav", "--text", " "], ["ask: there is neither --text nor --audio nor --video"]),
        (["--model", ".", "--video", "nowhere.mp4"], ["--video: nowhere.mp4 is no file"]),
        (["--text", "é" * 3_001], ["ask: --text has 6,002 bytes, and there is room for 6,000"]),
        (
            ["--text", "Hm?", "--stage-configs-path", "a.yaml", "--language", "en"],
            [
                f"ask: --{name} is for the whole pipeline, which answers with --audio or --out"
                for name in ("stage-configs-path", "language")
            ],
        ),
        (
            ["--audio", "a.wav", "--text", "Hm?", "--model", ".", "--temperature", "0", "--dtype", "float32"],
            [
                *(
                    f"ask: --{name} is for AURA alone: with --audio or --out the whole pipeline answers"
                    for name in ("model", "dtype", "temperature")
                ),
                "ask: --audio and --text are two questions",
            ],
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: list[str], faults: list[str], tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        run_ask(command(*arguments), tmp_path)
    assert str(refused.value).splitlines() == faults


@pytest.mark.parametrize("value", ["-1", "nan", "hot"])
def test_a_temperature_is_a_number_from_0_to_2(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("--text", "Hm?", "--temperature", value)
    assert f"--temperature: '{value}' is not a number from 0 to 2" in capsys.readouterr().err


def command(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_ask(parser.add_subparsers())
    return parser.parse_args(["ask", *arguments])
