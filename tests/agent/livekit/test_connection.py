"""The socket to the pipeline: it comes back, and nothing that matters is lost."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import pytest

from agent.livekit.connection import PipelineConnection, PipelineEndpoint
from agent.livekit.input_stream import AudioPiece
from agent.livekit.send_queue import MOST_INPUT
from agent.settings.agent import PipelineSettings
from pipeline.realtime.client import Event, PipelineFull, PipelineRefused, PipelineStarting, Unauthorized, Unreachable
from tests.agent.fake_pipeline import FakePipeline

pytestmark = pytest.mark.anyio

STOPPED = "The speech server has stopped, or cannot be reached. I keep trying to get it back."
PIPELINE = PipelineSettings("http://pipeline", "key")


class Caller:
    """Notes what the line tells it, and when."""

    def __init__(self) -> None:
        self.introduced: list[bool] = []
        self.troubles: list[tuple[float, str]] = []
        self.events: list[str] = []

    def introduction(self, resumed: bool) -> Iterable[Event]:
        self.introduced.append(resumed)
        yield {"type": "session.update", "session": {}}

    def on_event(self, event: Event) -> None:
        self.events.append(event["type"])
        if event["type"] == "surprise":
            raise KeyError("nobody knows it")

    def on_connection(self, trouble: str) -> None:
        self.troubles.append((asyncio.get_running_loop().time(), trouble))


@asynccontextmanager
async def line(pipeline: FakePipeline) -> AsyncIterator[tuple[PipelineConnection, Caller]]:
    caller = Caller()
    the_line = PipelineConnection(PipelineEndpoint(PIPELINE, pipeline.connect), caller)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(the_line.run())
        yield the_line, caller
        running.cancel()


def piece(number: int) -> AudioPiece:
    """50 ms of sound."""
    return AudioPiece(number.to_bytes(2, "little"), 0.05, 0.05 * number)


def pieces(pipeline: FakePipeline) -> list[int]:
    sounds = [b64decode(event["audio"]) for event in pipeline.of("input_audio_buffer.append")]
    return [int.from_bytes(sound, "little") for sound in sounds]


async def test_what_was_said_before_the_line_is_up_comes_after_the_introduction() -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (the_line, _):
        the_line.stream(piece(1))
        the_line.stream(piece(2))
        await asyncio.sleep(0.1)
    assert [event["type"] for _, event in pipeline.received][:2] == ["session.update", "input_audio_buffer.append"]
    assert pieces(pipeline) == [1, 2]


async def test_while_there_is_no_line_the_newest_ten_seconds_are_kept() -> None:
    pipeline = FakePipeline(refusals=[Unreachable("")])
    async with line(pipeline) as (the_line, _):
        for number in range(MOST_INPUT + 5):
            the_line.stream(piece(number))
        await asyncio.sleep(1.0)
    assert pieces(pipeline) == [*range(5, MOST_INPUT + 5)]


async def test_a_broken_line_is_said_and_mended_and_the_session_goes_on() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(1.0)
        pipeline.break_off()
        await asyncio.sleep(1.0)
    assert caller.troubles == [
        (0.0, ""),
        (1.0, STOPPED),
        (1.25, ""),
    ]
    assert pipeline.resumed_with == [None, "token_1"]
    assert caller.introduced == [False, True]


async def test_it_tries_again_at_growing_intervals_that_stop_growing() -> None:
    pipeline = FakePipeline(refusals=[Unreachable("")] * 8)
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(30.0)
    moments = [at for at, _ in caller.troubles]
    assert moments == [0.0, 0.25, 0.75, 1.75, 3.75, 5.75, 7.75, 9.75, 11.75]


async def test_a_line_that_was_up_is_missed_at_once_again() -> None:
    pipeline = FakePipeline(refusals=[Unreachable("")] * 3)
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(10.0)
        pipeline.break_off()
        await asyncio.sleep(1.0)
    assert [at for at, _ in caller.troubles] == [0.0, 0.25, 0.75, 1.75, 10.0, 10.25]


async def test_a_full_pipeline_is_asked_again_when_it_says() -> None:
    pipeline = FakePipeline(refusals=[PipelineFull(3.0)])
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(10.0)
    assert [at for at, _ in caller.troubles] == [0.0, 3.0]
    assert caller.troubles[0][1].startswith("All places are taken")


async def test_a_pipeline_that_starts_again_is_not_said_to_be_full_and_is_asked_often() -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(1.0)
        pipeline.refusals = [Unreachable(""), PipelineFull(5.0), PipelineFull(5.0)]
        pipeline.break_off()
        await asyncio.sleep(10.0)
    starting = "The speech server is starting again. Please wait a little: I cannot hear you until then."
    told = [(1.0, STOPPED), (1.25, STOPPED), (1.75, starting), (3.75, starting), (5.75, "")]
    assert caller.troubles[1:] == told


async def test_a_pipeline_that_starts_is_said_to_and_noted_each_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    pipeline = FakePipeline(refusals=[Unreachable(""), *[PipelineStarting(2.0)] * 8])
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(13.0)
    assert caller.troubles[1][1].startswith("The speech server is starting")
    reasons = [record.__dict__["reason"] for record in caplog.records if record.message == "line down"]
    assert reasons == ["Unreachable", "PipelineStarting", "PipelineStarting"]


async def test_a_wrong_key_is_said() -> None:
    async with line(FakePipeline(refusals=[Unauthorized("")])) as (_, caller):
        await asyncio.sleep(0.1)
    assert "does not accept this agent's key" in caller.troubles[0][1]


async def test_a_session_that_cannot_be_resumed_is_begun_anew() -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(1.0)
        pipeline.refusals = [PipelineRefused(404)]
        pipeline.break_off()
        await asyncio.sleep(2.0)
    assert pipeline.resumed_with == [None, "token_1", None]
    assert caller.introduced == [False, False]


async def test_a_pipeline_that_is_away_may_still_know_the_session() -> None:
    pipeline = FakePipeline()
    async with line(pipeline):
        await asyncio.sleep(1.0)
        pipeline.refusals = [Unreachable(""), Unreachable("")]
        pipeline.break_off()
        await asyncio.sleep(3.0)
    assert pipeline.resumed_with == [None, "token_1", "token_1", "token_1"]


async def test_an_event_that_is_not_understood_breaks_nothing() -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (_, caller):
        await asyncio.sleep(0.1)
        pipeline.tell("surprise")
        pipeline.tell("session.updated")
        await asyncio.sleep(0.1)
    assert caller.events == ["surprise", "session.updated"]


async def test_a_pipeline_that_says_nothing_is_given_up_after_five_seconds() -> None:
    class Mute(FakePipeline):
        def tell(self, kind: str, /, **fields: object) -> None:
            if kind != "session.created":
                super().tell(kind, **fields)

    async with line(Mute()) as (_, caller):
        await asyncio.sleep(5.1)
    assert caller.troubles == [(5.0, STOPPED)]


async def test_losing_the_line_while_sending_is_noticed_by_the_reader() -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (the_line, caller):
        await asyncio.sleep(0.5)
        assert pipeline.socket is not None
        pipeline.socket.broken = True
        the_line.stream(piece(1))
        await asyncio.sleep(0.1)
        pipeline.break_off()
        await asyncio.sleep(0.1)
        the_line.stream(piece(2))
        await asyncio.sleep(1.0)
    assert [at for at, trouble in caller.troubles if trouble] == [0.6]
    assert pieces(pipeline) == [2]


@pytest.mark.parametrize("fault", ["broken", "stalled"])
async def test_a_command_that_has_not_left_when_the_line_breaks_is_sent_on_the_next(fault: str) -> None:
    pipeline = FakePipeline()
    async with line(pipeline) as (the_line, _):
        await asyncio.sleep(0.5)
        assert pipeline.socket is not None
        setattr(pipeline.socket, fault, True)
        the_line.send({"type": "conversation.item.truncate", "item_id": "a"})
        the_line.send({"type": "conversation.item.truncate", "item_id": "b"})
        await asyncio.sleep(0.1)
        pipeline.break_off()
        await asyncio.sleep(1.0)
    assert [event["item_id"] for event in pipeline.of("conversation.item.truncate")] == ["a", "b"]


async def test_what_fails_as_nobody_expects_ends_the_line_and_not_the_call(caplog: pytest.LogCaptureFixture) -> None:
    pipeline = FakePipeline(can_resume=True)
    async with line(pipeline) as (the_line, caller):
        await asyncio.sleep(0.5)
        assert pipeline.socket is not None
        pipeline.socket.fails = TypeError("what JSON has no form for")
        the_line.send({"type": "response.cancel"})
        await asyncio.sleep(1.0)
        the_line.send({"type": "response.create"})
        await asyncio.sleep(0.1)
    assert caller.troubles == [(0.0, ""), (0.5, STOPPED), (0.75, "")]
    assert pipeline.kinds(without=("session.update",)) == ["response.create"]
    assert "the line failed" in caplog.messages
