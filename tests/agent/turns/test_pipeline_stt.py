"""The gate as LiveKit's recogniser."""

import asyncio

import pytest
from livekit.agents import stt

from agent.turns.pipeline_stt import PipelineStt
from agent.turns.turn_events import Kind, Onset, PartialHeard, Pause, TurnCommitted
from agent.turns.user_turn_tracker import UserTurnTracker

pytestmark = pytest.mark.anyio


class Floor:
    """Notes what the gate does to the conversation, and when."""

    def __init__(self) -> None:
        self.done: list[tuple[float, str]] = []

    def caption(self, item_id: str, text: str) -> None:
        self._note(f"caption {text}")

    def interrupt(self) -> None:
        self._note("interrupt")

    def turn(self) -> None:
        self._note("turn")

    def drop(self, kind: Kind, resume: bool) -> None:
        self._note(f"drop {kind} {resume}")

    def go_on(self) -> None:
        self._note("go on")

    def take_turn(self, reason: str) -> None:
        self._note(f"take turn {reason}")

    def _note(self, what: str) -> None:
        self.done.append((asyncio.get_running_loop().time(), what))


def pipeline_stt(actions: Floor) -> PipelineStt:
    return PipelineStt(UserTurnTracker(30_000), actions, label_s=5.0, late_label_s=15.0, language="en")


async def test_a_flush_is_answered_with_the_transcript() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    async with the_gate.stream() as stream:
        the_gate.feed(Onset(audible=False, answering=False))
        the_gate.feed(Pause())
        stream.flush()
        await asyncio.sleep(0.4)
        the_gate.feed(PartialHeard("item_1", "where is Rome", "speech", 900, settled=True))
        event = await anext(stream)
    assert event.type is stt.SpeechEventType.FINAL_TRANSCRIPT
    assert (event.alternatives[0].text, event.alternatives[0].language) == ("where is Rome", "en")
    assert actions.done == [(0.4, "caption where is Rome"), (0.4, "turn")]


async def test_livekit_is_told_the_language_that_was_heard() -> None:
    the_gate = pipeline_stt(Floor())
    async with the_gate.stream() as stream:
        for language, told in (("fr", "fr"), ("", "fr"), ("de", "de")):
            the_gate.feed(Onset(audible=False, answering=False))
            the_gate.feed(Pause())
            stream.flush()
            the_gate.feed(PartialHeard("item_1", "Rome", "speech", 900, settled=True, language=language))
            event = await anext(stream)
            assert event.alternatives[0].language == told


async def test_a_flush_without_a_sound_is_answered_with_nothing() -> None:
    the_gate = pipeline_stt(Floor())
    async with the_gate.stream() as stream:
        stream.flush()
        assert (await anext(stream)).alternatives[0].text == ""


async def test_a_label_of_a_sound_over_the_agent_is_waited_for_fifteen_seconds_after_the_last_one() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    the_gate.feed(Onset(audible=True, answering=True))
    the_gate.feed(Pause())
    await asyncio.sleep(1.0)
    the_gate.feed(Onset(audible=True, answering=True))
    await asyncio.sleep(1.0)
    the_gate.feed(Pause())
    await asyncio.sleep(60.0)
    assert actions.done == [(0.3, "go on"), (2.3, "go on"), (17.0, "drop noise True")]


async def test_a_taken_turn_is_not_waited_for() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    the_gate.feed(Onset(audible=False, answering=False))
    the_gate.feed(Pause())
    the_gate.feed(TurnCommitted())
    await asyncio.sleep(6.0)
    assert actions.done == []
    assert not the_gate.undecided


def test_livekit_takes_it_for_a_streaming_recogniser_that_is_flushed_by_hand() -> None:
    capabilities = pipeline_stt(Floor()).capabilities
    assert (capabilities.streaming, capabilities.manual_flush) == (True, True)


async def test_a_question_over_the_agent_is_taken_though_the_pipeline_hears_it_late() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    the_gate.feed(Onset(audible=True, answering=True))
    the_gate.feed(Pause())
    await asyncio.sleep(9.0)
    assert actions.done == [(0.3, "go on")]
    the_gate.feed(PartialHeard("item_1", "where is Rome", "speech", 900, settled=True))
    assert actions.done[1:] == [(9.0, "caption where is Rome"), (9.0, "interrupt")]


async def test_an_answer_that_words_may_have_paused_waits_for_them() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    the_gate.feed(Onset(audible=True, answering=True))
    the_gate.feed(PartialHeard("item_1", "where is", "speech", 500, settled=False))
    the_gate.feed(Pause())
    await asyncio.sleep(2.0)
    assert "go on" not in [what for _, what in actions.done]


async def test_a_question_over_the_agent_that_is_half_heard_is_not_waited_for_as_long() -> None:
    actions = Floor()
    the_gate = pipeline_stt(actions)
    the_gate.feed(Onset(audible=True, answering=True))
    the_gate.feed(PartialHeard("item_1", "where is", "speech", 500, settled=False))
    async with the_gate.stream() as stream:
        the_gate.feed(Pause())
        stream.flush()
        event = await anext(stream)
        assert event.alternatives[0].text == "where is"
    assert actions.done[-1] == (5.0, "turn")


async def test_what_the_pipeline_settles_tells_whether_the_words_end_a_sentence() -> None:
    the_gate, loop = pipeline_stt(Floor()), asyncio.get_running_loop()
    the_gate.feed(Onset(audible=False, answering=False))
    the_gate.feed(Pause())
    loop.call_later(0.05, the_gate.feed, PartialHeard("item_1", "Where is Rome?", "speech", 900, settled=True))
    assert await the_gate.words_over(loop.time() + 0.25) is True
    assert loop.time() == pytest.approx(0.05)
    the_gate.feed(Onset(audible=False, answering=False))
    the_gate.feed(Pause())
    the_gate.feed(PartialHeard("item_1", "Where is Rome and where", "speech", 1_900, settled=True))
    assert await the_gate.words_over(loop.time() + 0.25) is False
