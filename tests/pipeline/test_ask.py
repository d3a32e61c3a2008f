"""`aura-pipeline ask`, with a scripted engine."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.ask import ask
from pipeline.chunks import Scene, Text
from pipeline.clips import Clip
from pipeline.engines.scripted import Scripted
from pipeline.window import Limits

LIMITS = Limits(keep_s=6, slack_s=3)


async def test_each_second_is_read_and_then_the_question_is_answered() -> None:
    aura: Scripted[Scene, Text] = Scripted(
        lambda scene: [(0.2, Text("A ")), (0.1, Text("cup."))] if scene.max_tokens else [(0.05, Text(""))]
    )
    told: list[str] = []
    film = [Clip(f"{number}", np.zeros((2, 64, 64, 3), np.uint8)) for number in range(12)]
    answered = await ask("What is it?", film, aura, LIMITS, told.append)
    assert (answered.text, "".join(told)) == ("A cup.", "A cup.")
    assert (answered.seconds, answered.remembered) == (12, 6)
    assert len(answered.read_ms) == 12
    assert answered.read_ms[0] == pytest.approx(50)
    assert answered.first_ms == pytest.approx(200)
    assert answered.taken_ms == pytest.approx(300)
    assert "12 s of video (6 remembered), 50 ms for a second (median); first words after 200 ms" in str(answered)


async def test_silence_is_an_answer() -> None:
    aura: Scripted[Scene, Text] = Scripted(lambda scene: [])
    answered = await ask("", [], aura, LIMITS, lambda text: None)
    assert (answered.text, answered.first_ms) == ("", 0)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--model", "nowhere", "--text", "Hm?"], "nowhere is no folder"),
        (["--model", "."], "neither --text nor --video"),
        (["--model", ".", "--video", "nowhere.mp4"], "nowhere.mp4 is no file"),
        (["--text", "Hm?", "--temperature", "-1"], "--temperature: '-1' is not a number from 0 to 2"),
        (["--text", "Hm?", "--temperature", "nan"], "--temperature: 'nan' is not a number from 0 to 2"),
        (["--text", "Hm?", "--temperature", "hot"], "--temperature: 'hot' is not a number from 0 to 2"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: list[str], fault: str) -> None:
    command = [sys.executable, "-c", "from pipeline.main import main; main()", "ask", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode in (1, 2)
    assert fault in done.stderr
    assert "Traceback" not in done.stderr
