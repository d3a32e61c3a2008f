"""What the room is shown of the agent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from agent.status.attributes import AgentSignals, AgentStatePublisher
from agent.status.waiting_news import MOST_WAITING
from tests.agent.audience import Notes

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def publisher() -> AsyncIterator[tuple[AgentStatePublisher, Notes]]:
    notes = Notes()
    noticeboard = AgentStatePublisher(notes)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(noticeboard.run())
        yield noticeboard, notes
        running.cancel()


@pytest.mark.parametrize(
    ("signals", "state"),
    [
        (AgentSignals(), "listening"),
        (AgentSignals(person_speaking=True, audible=True, answering=True), "listening"),
        (AgentSignals(audible=True, answering=True), "speaking"),
        (AgentSignals(answering=True, owed=True, silent_until=9), "thinking"),
        (AgentSignals(answering=True), "listening"),
        (AgentSignals(audible=True, heard_at=1), "speaking"),
        (AgentSignals(heard_at=1), "thinking"),
        (AgentSignals(heard_at=4), "listening"),
        (AgentSignals(sees=True, silent_until=9, watching_until=9), "silent"),
        (AgentSignals(sees=True, silent_until=5, watching_until=9), "watching"),
        (AgentSignals(sees=True, watching_until=5), "listening"),
        (AgentSignals(sees=False, watching_until=9), "listening"),
    ],
)
def test_the_state_follows_from_the_signs(signals: AgentSignals, state: str) -> None:
    assert signals.state(now=5.0) == state


async def test_staying_silent_is_shown_for_two_seconds_and_said_why() -> None:
    async with publisher() as (noticeboard, notes):
        await asyncio.sleep(1.0)
        noticeboard.stayed_silent()
        await asyncio.sleep(5.0)
    assert notes.of("aura.state") == [
        (0.0, "listening"),
        (1.0, "silent"),
        (3.0, "listening"),
    ]
    decision = next(msgspec.json.decode(value) for _, value in notes.of("aura.decision"))
    assert decision == {
        "at_ms": 1000,
        "what": "silent",
        "reason": "model",
        "text": "chose to say nothing",
        "figures": {},
    }


async def test_a_decision_is_told_with_its_reason_and_the_numbers_behind_it() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.decided("noise", "no words were heard", reason="no_words", figures={"sound_ms": 410})
        await asyncio.sleep(1.0)
    [(_, decision)] = notes.of("aura.decision")
    assert (msgspec.json.decode(decision)["reason"], msgspec.json.decode(decision)["figures"]) == (
        "no_words",
        {"sound_ms": 410},
    )


async def test_who_has_spoken_sees_before_long_that_it_is_still_being_found_out_what_they_said() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.observe(undecided=True)
        await asyncio.sleep(5.0)
        noticeboard.decided("noise", "no words were heard")
        await asyncio.sleep(1.0)
        noticeboard.observe(undecided=True)
        await asyncio.sleep(60.0)  # and nothing ever comes of it
        noticeboard.observe(undecided=True)
        await asyncio.sleep(3.0)
        noticeboard.observe(owed=True)
        await asyncio.sleep(1.0)
        noticeboard.observe(owed=False)
        await asyncio.sleep(1.0)
    assert notes.of("aura.state") == [
        (0.0, "listening"),
        (2.0, "thinking"),
        (5.0, "listening"),
        (8.0, "thinking"),
        (26.0, "listening"),
        (68.0, "thinking"),
        (70.0, "listening"),
    ]


async def test_every_decision_is_published_though_they_come_at_once() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.decided("backchannel", "a sign of listening")
        noticeboard.decided("resumed", "it was no interruption")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    decisions = [msgspec.json.decode(value)["what"] for _, value in notes.of("aura.decision")]
    assert decisions == ["backchannel", "resumed"]


class SlowRoom(Notes):
    """Takes 0.2 s for each publication."""

    async def publish(self, attributes: dict[str, str]) -> None:
        await asyncio.sleep(0.2)
        await super().publish(attributes)


async def test_what_changes_fifty_times_a_second_is_published_as_often_as_the_room_takes_it_and_ends_right() -> None:
    notes = SlowRoom()
    noticeboard = AgentStatePublisher(notes)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(noticeboard.run())
        noticeboard.connection("token", sees=True)
        for at in range(251):
            noticeboard.observe(person_speaking=at % 2 == 0)
            noticeboard.saw_frame("screen" if at % 2 else "camera")
            await asyncio.sleep(0.02)
        await asyncio.sleep(1.5)
        running.cancel()
    assert len(notes.shown) <= 5 * (5.02 + 1.5)
    assert notes.of("aura.state")[-1][1] == "listening"
    assert notes.of("aura.shown")[-1][1] == "camera"
    assert notes.shown[-1][0] < 5.02 + 0.5, "nothing old is still told"


class LockedRoom(Notes):
    """Takes nothing until it opens: LiveKit is being reached again."""

    def __init__(self) -> None:
        super().__init__()
        self.opens = asyncio.Event()

    async def publish(self, attributes: dict[str, str]) -> None:
        await self.opens.wait()
        await super().publish(attributes)


async def test_what_lasts_is_published_whatever_happens_before_the_room_takes_it() -> None:
    notes = LockedRoom()
    noticeboard = AgentStatePublisher(notes)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(noticeboard.run())
        await asyncio.sleep(1.0)
        noticeboard.connection("token", sees=True)
        noticeboard.recording(True)
        for at_s in range(2 * MOST_WAITING):
            noticeboard.decided("turn", f"turn {at_s}")
        notes.opens.set()
        await asyncio.sleep(1.0)
        running.cancel()
    assert [value for _, value in notes.of("aura.connection")] == ["token"]
    assert [value for _, value in notes.of("aura.record")] == ["on"]
    decisions = [msgspec.json.decode(value)["text"] for _, value in notes.of("aura.decision")]
    assert decisions[-1] == "turn 63" and len(decisions) == MOST_WAITING - 2


async def test_it_watches_while_pictures_come() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.connection("token", sees=True)
        for _ in range(4):
            noticeboard.saw_frame()
            await asyncio.sleep(0.5)
        await asyncio.sleep(5.0)
    assert notes.of("aura.state") == [(0.0, "watching"), (3.5, "listening")]


async def test_it_does_not_watch_for_a_pipeline_that_cannot_see() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.connection("token", sees=False)
        noticeboard.saw_frame()
        await asyncio.sleep(1.0)
    assert [value for _, value in notes.of("aura.state")] == ["listening"]


async def test_it_is_shown_what_the_pipeline_sees_until_no_picture_has_come_for_two_seconds() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.connection("token", sees=True)
        await asyncio.sleep(1.0)
        for source in ("camera", "camera", "screen", "screen", "camera"):
            noticeboard.saw_frame(source)
            await asyncio.sleep(0.5)
        await asyncio.sleep(5.0)
        noticeboard.saw_frame("camera")
        await asyncio.sleep(0.5)
        noticeboard.connection("", sees=False)  # the line is down
        await asyncio.sleep(0.5)
    shown = [(1.0, "camera"), (2.0, "screen"), (3.0, "camera"), (5.0, ""), (8.5, "camera"), (9.0, "")]
    assert notes.of("aura.shown") == shown


async def test_what_is_seen_is_shown_when_it_changes_and_until_it_is_two_seconds_old() -> None:
    async with publisher() as (agent, notes):
        agent.connection("token", sees=True)
        for line in ("a person", "a person", "a person, a book", ""):
            agent.saw_frame()
            agent.observed(line)
            await asyncio.sleep(1.0)
        agent.observed("a cat")
        for _ in range(8):
            agent.saw_frame()
            await asyncio.sleep(0.5)
    seen = [(0.0, "a person"), (2.0, "a person, a book"), (3.0, ""), (4.0, "a cat"), (6.0, "")]
    assert notes.of("aura.observation") == seen


async def test_nothing_is_seen_any_more_when_the_camera_is_off_or_the_line_is_down() -> None:
    async with publisher() as (agent, notes):
        agent.connection("token", sees=True)
        agent.saw_frame()
        for _ in range(6):
            agent.observed("a person")  # of pictures that came before
            await asyncio.sleep(0.5)
        agent.saw_frame()
        await asyncio.sleep(0.5)
        agent.connection("", sees=False)
        await asyncio.sleep(0.5)
        agent.connection("other", sees=True)
        await asyncio.sleep(0.5)
    assert notes.of("aura.observation") == [(0.0, "a person"), (2.0, ""), (3.0, "a person"), (3.5, "")]


async def test_nothing_is_shown_to_a_pipeline_that_cannot_see() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.connection("token", sees=False)
        noticeboard.saw_frame("screen")
        await asyncio.sleep(1.0)
    assert notes.of("aura.shown") == []


async def test_it_is_shown_whether_the_pipeline_sees_while_there_is_one() -> None:
    async with publisher() as (noticeboard, notes):
        noticeboard.connection("token", sees=False)
        noticeboard.connection("", sees=False)
        noticeboard.connection("other", sees=True)
        await asyncio.sleep(1.0)
    assert [value for _, value in notes.of("aura.sees")] == ["no", "", "yes"]


async def test_an_error_is_shown_once_and_taken_away() -> None:
    async with publisher() as (noticeboard, notes):
        for text in ("away", "away", "", ""):
            noticeboard.error(text)
        await asyncio.sleep(1.0)
    assert [value for _, value in notes.of("aura.error")] == ["away", ""]


async def test_what_cannot_be_published_stops_nothing() -> None:
    notes = Notes(refuses="aura.error")
    noticeboard = AgentStatePublisher(notes)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(noticeboard.run())
        noticeboard.error("away")
        noticeboard.timed("resp_1", None, 120)
        await asyncio.sleep(1.0)
        running.cancel()
    [(_, timings)] = notes.of("aura.timings")
    assert msgspec.json.decode(timings)["create_to_first_audio_ms"] == 120


async def test_each_failed_answer_is_told_also_in_the_words_of_the_one_before() -> None:
    async with publisher() as (agent, notes):
        for _ in range(2):
            agent.failed("I could not answer that.")
            await asyncio.sleep(1.0)
        agent.error("I could not answer that.")
        await asyncio.sleep(1.0)
    assert notes.of("aura.error") == [(0.0, "I could not answer that."), (1.0, "I could not answer that.")]
    assert [msgspec.json.decode(value)["what"] for _, value in notes.of("aura.decision")] == ["error", "error"]
