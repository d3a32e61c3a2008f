"""Whole conversations from a shell: LiveKit's own session, voice activity and end of turn, and a scripted pipeline.

In real time, because LiveKit's voice activity detection runs in threads.
"""

import asyncio
import io
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from hibari import Hibari
from livekit import rtc
from livekit.agents import function_tool
from PIL import Image

from agent.console.audio import WavLoudspeaker, WavMicrophone, read_wav, write_wav
from agent.console.camera import file_camera
from agent.console.console import ConsoleTranscript, answer_lines, converse, converse_text, converse_wav
from agent.livekit.media import RATE
from agent.settings.agent import PipelineSettings
from agent.settings.tools import ToolSettings
from agent.status.call_log import CallLog
from agent.tools.call_tools import Toolkit
from agent.tools.listed_tool import listed
from tests.agent.fake_pipeline import Calls, FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

PIPELINE = PipelineSettings("http://pipeline", "key")
COUNT = Says(tuple((f"{number} ", 0.5) for number in range(1, 31)))

Speak = Callable[[str], bytes]


class Interrupter(WavMicrophone):
    """Says something, and something else as soon as two seconds of an answer have been heard."""

    def __init__(self, first: bytes, second: bytes, loudspeaker: WavLoudspeaker) -> None:
        super().__init__(first, more=True)
        self._second, self._loudspeaker = second, loudspeaker

    async def __anext__(self) -> rtc.AudioFrame:
        if self._second and loud_s(self._loudspeaker.recording) > 2.0:
            self.add(self._second)
            self._second = b""
        return await super().__anext__()


class SlowTypist(io.StringIO):
    """Types a line every two seconds."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        if 0 < self.tell() < len(self.getvalue()):
            sleep(2.0)
        return super().readline(-1 if size is None else size)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def voice() -> Hibari:
    return Hibari()


@pytest.fixture
def speak(voice: Hibari) -> Speak:
    return lambda words: (voice(words) * 32_000).astype(np.int16).tobytes()


def loud_s(pcm: bytes | bytearray) -> float:
    """Seconds that are not silence."""
    return np.count_nonzero(np.frombuffer(bytes(pcm), np.int16)) / RATE


def longest_gap_s(pcm: bytes | bytearray) -> float:
    """Silence between two sounds."""
    loud = np.flatnonzero(np.frombuffer(bytes(pcm), np.int16))
    return float(np.diff(loud).max() / RATE)


async def test_a_spoken_question_is_answered_aloud(
    speak: Speak, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = FakePipeline(
        hears=[Hears("What is the capital of France?")], says=[Says((("It is ", 0.4), ("Paris.", 0.6)))]
    )
    question, answer = tmp_path / "in.wav", tmp_path / "out.wav"
    write_wav(question, speak("What is the capital of France?"))
    assert await converse_wav(PIPELINE, question, answer, wait_s=20, connect=pipeline.connect) == 0
    said = capsys.readouterr().out
    assert "you  What is the capital of France?" in said
    assert "aura  It is Paris." in said
    assert loud_s(read_wav(answer)) == pytest.approx(1.0, abs=0.05)
    assert pipeline.kinds(without=("input_audio_buffer.append", "input_audio_buffer.activity")) == [
        "session.update",
        "input_audio_buffer.commit",
        "response.create",
    ]


async def test_speech_over_the_answer_cuts_it_to_what_was_heard(speak: Speak) -> None:
    pipeline = FakePipeline(
        hears=[Hears("Please count to thirty."), Hears("Please stop now.", while_speaking_s=0.5)],
        says=[COUNT, Says((("Fine.", 0.5),))],
    )
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    microphone = Interrupter(speak("Please count to thirty."), speak("Please stop now."), loudspeaker)
    assert await converse(PIPELINE, microphone, loudspeaker, wait_s=30, connect=pipeline.connect)
    assert len(pipeline.of("response.cancel")) == 1
    [truncated] = pipeline.of("conversation.item.truncate")
    assert 1_500 < truncated["audio_end_ms"] < 12_000
    moments = {event["type"]: at for at, event in pipeline.received}
    assert moments["response.cancel"] < moments["input_audio_buffer.commit"]  # decided before the turn was over
    assert loud_s(loudspeaker.recording) < 13


async def test_a_backchannel_pauses_the_answer_and_it_goes_on(speak: Speak, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = FakePipeline(
        hears=[Hears("Please count to ten."), Hears("Mm-hmm.", "backchannel")],
        says=[Says(tuple((f"{number} ", 0.5) for number in range(1, 11)))],
    )
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    microphone = Interrupter(speak("Please count to ten."), speak("Mm hmm."), loudspeaker)
    assert await converse(PIPELINE, microphone, loudspeaker, wait_s=30, connect=pipeline.connect)
    assert "aura  1 2 3 4 5 6 7 8 9 10" in capsys.readouterr().out
    assert pipeline.of("response.cancel") == []
    assert len(pipeline.of("input_audio_buffer.clear")) == 1
    assert loud_s(loudspeaker.recording) == pytest.approx(5.0, abs=0.1)
    # LiveKit alone goes on after 2 s of silence, here some 3 s
    assert 0.1 < longest_gap_s(loudspeaker.recording) < 2.2


async def test_a_recording_without_words_is_not_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_wav(tmp_path / "in.wav", bytes(RATE))
    status = await converse_wav(
        PIPELINE, tmp_path / "in.wav", tmp_path / "out.wav", wait_s=1, connect=FakePipeline().connect
    )
    assert status == 1
    assert "nothing was answered" in capsys.readouterr().err


async def test_an_answer_of_sound_alone_is_an_answer(
    speak: Speak, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = FakePipeline(hears=[Hears("Ring the bell, please.")], says=[Says((("", 0.6),))])
    question, answer = tmp_path / "in.wav", tmp_path / "out.wav"
    write_wav(question, speak("Ring the bell, please."))
    assert await converse_wav(PIPELINE, question, answer, wait_s=20, connect=pipeline.connect) == 0
    told = capsys.readouterr()
    assert "first sound after" in told.out and "aura  " not in told.out
    assert told.err == ""
    assert loud_s(read_wav(answer)) == pytest.approx(0.6, abs=0.05)


async def test_a_recording_that_is_not_there_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    question, nobody = tmp_path / "none.wav", FakePipeline()
    with pytest.raises(ValueError, match=r"none\.wav: No such file or directory"):
        await converse_wav(PIPELINE, question, tmp_path / "out.wav", wait_s=1, connect=nobody.connect)
    assert nobody.resumed_with == [], "nobody was called"


async def test_written_lines_are_answered_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = FakePipeline(says=[Says((("Rome.", 0.1),)), Says((("Eight.", 0.1),))])
    lines = io.StringIO("What is the capital of Italy?\n\nHow many legs has a spider?\n")
    assert await converse_text(PIPELINE, lines, wait_s=5, connect=pipeline.connect) == 0
    said = [line.split(maxsplit=2)[1:] for line in capsys.readouterr().out.splitlines()]
    assert said == [
        ["you", "What is the capital of Italy?"],
        ["aura", "Rome."],
        ["you", "How many legs has a spider?"],
        ["aura", "Eight."],
    ]
    assert pipeline.of("session.update")[0]["session"]["output_modalities"] == ["text"]


@pytest.mark.parametrize("sees", [True, False])
async def test_what_the_camera_shows_reaches_the_pipeline_and_whether_anybody_looks_is_said(
    sees: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Image.new("RGB", (640, 480), (200, 100, 50)).save(tmp_path / "camera.png")
    pipeline = FakePipeline(says=[Says((("Orange.", 0.1),), after_s=1.5)], sees=sees)
    lines, camera = io.StringIO("What do you see?\n"), file_camera(tmp_path / "camera.png")
    assert await converse_text(PIPELINE, lines, wait_s=5, camera=camera, connect=pipeline.connect) == 0
    assert pipeline.of("session.update")[0]["session"]["aura"]["camera"]
    frames = pipeline.of("input_video_buffer.append")
    assert 3 <= len(frames) <= 5, "two a second"
    picture = Image.open(io.BytesIO(b64decode(frames[0]["image"])))
    assert picture.getpixel((320, 240)) == pytest.approx((200, 100, 50), abs=6)
    assert ("this pipeline looks at no pictures" in capsys.readouterr().out) is not sees


async def test_what_the_pipeline_sees_is_printed_when_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    transcript = ConsoleTranscript(filmed=True)
    for line in ("a person, a book", "", "a person, a book", "a cat"):
        await transcript.publish({"aura.observation": line})
    printed = [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()]
    assert [line.split(maxsplit=1) for line in printed] == [["sees", "a person, a book"], ["sees", "a cat"]]


async def test_who_has_no_camera_is_not_told_that_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = FakePipeline(says=[Says((("Rome.", 0.1),))], sees=False)
    assert await converse_text(PIPELINE, io.StringIO("Where?\n"), wait_s=5, connect=pipeline.connect) == 0
    assert "pictures" not in capsys.readouterr().out


async def test_a_line_that_is_too_long_is_said_to_be_and_nothing_else_is_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipeline = FakePipeline(says=[Says((("Wrong.", 0.1),), after_s=0.5), Says((("Eight.", 0.1),))])
    lines = io.StringIO("word " * 300 + "\nHow many legs has a spider?\n")
    assert await converse_text(PIPELINE, lines, wait_s=5, connect=pipeline.connect) == 1
    said = [line.split(maxsplit=2)[1:] for line in capsys.readouterr().out.splitlines()]
    assert ["error", "That was more than I can take in at once. Please say it in fewer words."] in said
    assert [what for who, what in said if who == "aura"] == ["Eight."]
    assert len(pipeline.of("response.cancel")) == 1


async def test_an_answer_that_takes_long_is_waited_for_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    late = Says(tuple((f"late{number} ", 0.1) for number in range(30)), after_s=1.2)
    pipeline = FakePipeline(says=[late, Says((("Eight.", 0.1),))])
    lines = io.StringIO("What is the capital of Italy?\nHow many legs has a spider?\n")
    assert await converse_text(PIPELINE, lines, wait_s=0.5, connect=pipeline.connect) == 0
    shown = capsys.readouterr()
    said = [line.split(maxsplit=2)[1:] for line in shown.out.splitlines()]
    assert [who for who, _ in said] == ["you", "aura"] * 2
    assert said[1][1].rstrip().endswith("late29") and said[3][1] == "Eight."
    assert "no answer for 0.5 s: still waiting" in shown.err and "no answer for 1 s" in shown.err
    assert pipeline.of("response.cancel") == []


async def test_who_types_never_mind_calls_off_what_is_being_done(capsys: pytest.CaptureFixture[str]) -> None:
    ended = []

    @function_tool
    async def book() -> str:
        """Books a table."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("it")
        return "booked"

    says = [Says(calls=(Calls("book"),)), Says((("All right.", 0.1),))]
    lines = SlowTypist("Book a table.\nNever mind.\n")
    toolkit = Toolkit(ToolSettings(built_in=()), (listed(book),))
    pipeline = FakePipeline(says=says, tools=True)
    assert await converse_text(PIPELINE, lines, wait_s=30, connect=pipeline.connect, toolkit=toolkit) == 0
    assert ended == ["it"]
    shown = capsys.readouterr().out
    assert "book: cancelled after" in shown and "aura  All right." in shown


@pytest.mark.parametrize(("terminal", "most"), [(True, 2), (False, 1)])
async def test_what_is_typed_at_a_terminal_waits_for_no_answer(terminal: bool, most: int) -> None:
    under_way = [0, 0]

    async def answer(line: str) -> bool:
        under_way[0] += 1
        under_way[1] = max(under_way)
        await asyncio.sleep(0.5)
        under_way[0] -= 1
        return line != "b"

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    assert await answer_lines(Terminal("a\nb\n"), answer, ConsoleTranscript()) == 1
    assert under_way == [0, most]


async def test_what_was_decided_in_a_conversation_can_be_saved() -> None:
    log = CallLog()
    pipeline = FakePipeline(says=[Says(silent=True)])
    assert await converse_text(PIPELINE, io.StringIO("Thank you.\n"), wait_s=5, connect=pipeline.connect, log=log) == 1
    [decision] = log.document()["decisions"]
    assert (decision["what"], decision["reason"]) == ("silent", "model")
    assert 100 <= decision["figures"]["waited_ms"] < 1_000
