"""The agent speaks of its own accord: what the pipeline offers is heard once, or dropped without a sound."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from livekit.agents import SpeechCreatedEvent, UserStateChangedEvent

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.floor.floor import FloorRules
from agent.livekit.media import RATE
from agent.livekit.session import AuraRealtimeSession
from agent.persona.changes import PersonaChanges
from agent.persona.persona import Persona
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from pipeline.realtime.client import Event
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

WAVED = "Somebody waved."
PERSONA = Persona("Aura", "Be brief.")
SEEING = replace(TURNS["browser"], camera=True)
ANSWER = Says((("Paris.", 3.0),))


class Room:
    """A call whose voice activity is told here, and whose loudspeaker keeps what was heard."""

    def __init__(self, call: Call, loudspeaker: WavLoudspeaker, notes: Notes, pipeline: FakePipeline) -> None:
        self.call, self.pipeline, self._loudspeaker, self._notes = call, pipeline, loudspeaker, notes
        self.began = asyncio.get_running_loop().time()

    @property
    def heard_s(self) -> float:
        """Seconds of sound."""
        samples = np.frombuffer(bytes(self._loudspeaker.recording), np.int16)
        return float(np.count_nonzero(samples)) / RATE

    @property
    def decisions(self) -> list[tuple[str, str]]:
        told = [msgspec.json.decode(value) for _, value in self._notes.of("aura.decision")]
        return [(decision["what"], decision["reason"]) for decision in told]

    def texts(self, what: str) -> list[str]:
        told = [msgspec.json.decode(value) for _, value in self._notes.of("aura.decision")]
        return [decision["text"] for decision in told if decision["what"] == what]

    def of(self, name: str) -> list[str]:
        return [value for _, value in self._notes.of(name)]

    @property
    def conversation(self) -> list[str]:
        """What the agent has said, as LiveKit remembers it."""
        items = self.call.session.history.items
        return [item.text_content or "" for item in items if item.type == "message" and item.role == "assistant"]

    def begins_to_speak(self) -> None:
        self._state("listening", "speaking")

    def falls_silent(self) -> None:
        self._state("speaking", "listening")

    def _state(self, old: Literal["speaking", "listening"], new: Literal["speaking", "listening"]) -> None:
        event = UserStateChangedEvent(old_state=old, new_state=new)
        self.call.session.emit("user_state_changed", event)


@asynccontextmanager
async def calling(pipeline: FakePipeline, *, persona: Persona = PERSONA, **call: Any) -> AsyncIterator[Room]:
    notes = Notes()
    settings = PipelineSettings("http://pipeline", "key")
    the_call = Call(settings, persona, SEEING, notes, connect=pipeline.connect, **call)
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    the_call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        await the_call.start(greet=False)
        await asyncio.sleep(1)
        yield Room(the_call, loudspeaker, notes, pipeline)
        await the_call.aclose()
        playing.cancel()


async def test_what_the_pipeline_offers_is_heard_once_and_told() -> None:
    async with calling(FakePipeline()) as room:
        offer_id = room.pipeline.offer(WAVED)
        await asyncio.sleep(5)
        assert room.heard_s == pytest.approx(2.0)
        assert room.decisions == [("spoke_up", "model")]
        assert room.texts("spoke_up") == [WAVED]
        assert room.conversation == [WAVED]
        assert room.of("aura.timings") == [], "nobody has waited for it"
        assert "thinking" not in room.of("aura.state")
    (create,) = room.pipeline.of("response.create")
    assert create["response"]["metadata"]["offer_id"] == offer_id


async def test_an_offer_that_comes_as_somebody_begins_to_speak_makes_no_sound() -> None:
    dice = random.Random(5)
    for _ in range(20):
        begins_s, after_s = dice.uniform(-0.5, 0.3), dice.choice((0.0, 0.1, 0.32))
        pipeline = FakePipeline(remarks_after_s=after_s)
        async with calling(pipeline) as room:
            room.call.session.on("speech_created", _unasked)
            begins_s = min(begins_s, after_s)
            await asyncio.sleep(max(0.0, -begins_s))
            if begins_s < 0:
                room.begins_to_speak()
                await asyncio.sleep(-begins_s)
            pipeline.offer(WAVED)
            if begins_s >= 0:
                await asyncio.sleep(begins_s)
                room.begins_to_speak()
            await asyncio.sleep(5)
            assert room.heard_s == 0, f"{begins_s:.2f} s after the offer"
            assert room.decisions == [("offer_dropped", "floor_taken")]
            assert room.conversation == [] and pipeline.items == {}
            assert not room.call.publisher.signals.answering


async def now(room: Room) -> None:
    await asyncio.sleep(0.01)
    assert room.decisions == [("offer_dropped", "floor_taken")]


def _unasked(event: SpeechCreatedEvent) -> None:
    assert not event.user_initiated


async def test_who_speaks_over_a_remark_interrupts_it_and_only_what_was_heard_is_kept() -> None:
    pipeline = FakePipeline(hears=[Hears("What is that?", while_speaking_s=0.3)], remarks_s=6.0)
    async with calling(pipeline) as room:
        pipeline.offer("One, two, three, four.")
        await asyncio.sleep(1.0)
        room.begins_to_speak()
        await asyncio.sleep(1.0)
        assert 0.9 < room.heard_s < 1.5
        assert room.decisions == [("spoke_up", "model"), ("interrupted", "words")]
        assert not room.call.publisher.signals.answering
    (truncated,) = pipeline.of("conversation.item.truncate")
    assert truncated["audio_end_ms"] == pytest.approx(room.heard_s * 1000, abs=1)
    assert len(pipeline.of("response.cancel")) == 1
    assert pipeline.of("conversation.item.delete") == []


async def test_a_cough_over_a_remark_does_not_end_it() -> None:
    pipeline = FakePipeline(hears=[Hears("", "noise")])
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(0.8)
        room.begins_to_speak()
        await asyncio.sleep(0.3)
        room.falls_silent()
        await asyncio.sleep(5)
        assert room.heard_s == pytest.approx(2.0)


async def test_nothing_is_said_unasked_while_it_is_not_decided_what_somebody_said() -> None:
    pipeline = FakePipeline(hears=[Hears("Where is Rome?", after_s=1.0)])
    async with calling(pipeline) as room:
        room.begins_to_speak()
        await asyncio.sleep(1.0)
        room.falls_silent()
        await asyncio.sleep(0.9)
        pipeline.offers["late"] = WAVED
        pipeline.offer(WAVED)
        await asyncio.sleep(3.0)
        assert (room.decisions, room.heard_s) == ([("offer_dropped", "floor_taken")], 0.0)


async def test_nothing_is_said_unasked_over_an_answer_or_right_behind_it() -> None:
    pipeline = FakePipeline(says=[ANSWER])
    async with calling(pipeline) as room:
        room.call.session.generate_reply()
        await asyncio.sleep(1.0)
        pipeline.offer(WAVED)  # 2.1 s before the answer has been heard
        await asyncio.sleep(1.9)
        assert room.decisions == [("offer_dropped", "floor_taken")]
        pipeline.offer(WAVED)  # 0.2 s before
        await asyncio.sleep(0.8)
        assert room.heard_s == pytest.approx(3.0)
        await asyncio.sleep(5.0)
        assert room.heard_s == pytest.approx(5.0)
        assert room.decisions[1:] == [("spoke_up", "model")]
    assert len(pipeline.of("response.cancel")) == 0


async def test_a_cough_stops_a_remark_that_is_not_heard_yet_and_is_nothing_more() -> None:
    pipeline = FakePipeline(hears=[Hears("", "noise")], remarks_after_s=0.3)
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(0.1)
        room.begins_to_speak()
        await asyncio.sleep(0.3)
        room.falls_silent()
        await asyncio.sleep(5)
        assert (room.decisions, room.heard_s) == ([("offer_dropped", "floor_taken"), ("noise", "no_words")], 0.0)


async def test_a_remark_that_was_given_up_before_the_pipeline_began_it_leaves_nothing_behind() -> None:
    pipeline = FakePipeline(remarks_after_s=0.05)
    async with calling(pipeline) as room:
        pipeline.slow_s = 0.2
        pipeline.offer(WAVED)
        await asyncio.sleep(0.1)
        room.begins_to_speak()
        await asyncio.sleep(5)
        assert (room.heard_s, room.conversation, pipeline.items) == (0.0, [], {})


@pytest.mark.parametrize("slow_s", [0.0, 0.3])
async def test_who_writes_is_answered_and_hears_no_remark(slow_s: float) -> None:
    pipeline = FakePipeline(says=[ANSWER], remarks_after_s=0.3)
    async with calling(pipeline) as room:
        pipeline.slow_s = slow_s
        pipeline.offer(WAVED)
        await asyncio.sleep(0.2)
        await asyncio.gather(room.call.write("Where is Rome?"), now(room))
        await asyncio.sleep(5.0)
        assert room.decisions == [("offer_dropped", "floor_taken")]
        assert room.conversation == ["Paris."]
        assert room.heard_s == pytest.approx(3.0)


async def test_a_voice_that_takes_too_long_says_nothing_and_nothing_is_remembered() -> None:
    pipeline = FakePipeline(remarks_after_s=1.6)
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert (room.decisions, room.heard_s) == ([("offer_dropped", "offer_stale")], 0.0)
        assert room.conversation == [] and pipeline.items == {}
        pipeline.remarks_after_s = 0.1
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert room.heard_s == pytest.approx(2.0)


async def test_words_without_sound_are_taken_out_of_the_conversation() -> None:
    pipeline = FakePipeline(mute=True, remarks_s=60.0)
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert (room.decisions, room.heard_s) == ([("offer_dropped", "offer_stale")], 0.0)
        assert room.conversation == [] and pipeline.items == {}
    assert len(pipeline.of("conversation.item.delete")) == 1


async def test_an_offer_that_the_pipeline_has_withdrawn_troubles_nobody() -> None:
    pipeline = FakePipeline()
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        pipeline.offers.clear()
        await asyncio.sleep(5.0)
        assert room.decisions == [("offer_dropped", "offer_stale")]
        assert "".join(room.of("aura.error")) == ""
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert room.heard_s == pytest.approx(2.0)


async def test_no_answer_is_stopped_for_a_remark() -> None:
    class Occupied(FakePipeline):
        """It is giving an answer of which this agent does not know."""

        def _take(self, event: Event) -> None:
            if event["type"] == "response.create":
                self.received.append((0.0, event))
                error = {"code": "conversation_already_has_active_response", "message": "still being given"}
                self.tell("error", error={**error, "event_id": event["event_id"]})
            else:
                super()._take(event)

    pipeline = Occupied()
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert room.decisions == [("offer_dropped", "offer_stale")]
    assert (len(pipeline.of("response.create")), pipeline.of("response.cancel")) == (1, [])


async def test_a_remark_that_fails_is_no_answer_that_somebody_waits_for() -> None:
    class Broken(FakePipeline):
        async def _speak(self, response_id: str, metadata: dict[str, str], says: Says) -> None:
            await super()._speak(response_id, metadata, Says(error="no voice"))

    pipeline = Broken()
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert room.decisions == [("offer_dropped", "failed")]
        assert "".join(room.of("aura.error")) == ""


async def test_a_line_that_breaks_drops_what_it_offered() -> None:
    pipeline = FakePipeline(remarks_after_s=0.4)
    async with calling(pipeline) as room:
        pipeline.offer(WAVED)
        await asyncio.sleep(0.2)
        pipeline.break_off()
        await asyncio.sleep(5.0)
        assert (room.decisions[0], room.heard_s) == (("offer_dropped", "floor_taken"), 0.0)


@pytest.mark.parametrize(
    ("sees", "persona", "floor", "asked"),
    [
        (True, PERSONA, FloorRules(), "offer"),
        (False, PERSONA, FloorRules(), "off"),
        (True, replace(PERSONA, proactive=False), FloorRules(), "off"),
        (True, PERSONA, FloorRules(per_minute=0), "off"),
    ],
)
async def test_offers_are_asked_for_where_the_pipeline_sees_and_the_persona_may_speak_up(
    sees: bool, persona: Persona, floor: FloorRules, asked: str
) -> None:
    async with calling(FakePipeline(sees=sees), persona=persona, floor=floor) as room:
        (update,) = room.pipeline.of("session.update")
    assert update["session"]["aura"]["proactive"] == asked


async def test_who_wants_no_remarks_hears_none_until_they_do() -> None:
    pipeline = FakePipeline()
    async with calling(pipeline) as room:
        pipeline.offer("One, two, three, four.")
        await asyncio.sleep(1.0)
        room.call.character.speak_up(False)
        await asyncio.sleep(0.1)
        assert not room.call.character.speaks_up
        heard_s = room.heard_s
        assert 0.8 < heard_s < 1.0
        pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert room.heard_s == heard_s
        pipeline.break_off()
        await asyncio.sleep(5.0)
        room.call.character.speak_up(True)
        pipeline.offer("It rains.")
        await asyncio.sleep(5.0)
        assert room.heard_s == pytest.approx(heard_s + 2.0)
    told = [update["session"]["aura"]["proactive"] for update in pipeline.of("session.update")]
    assert told == ["offer", "off", "off", "offer"]


async def test_a_call_that_may_make_no_remarks_cannot_be_talked_into_them() -> None:
    async with calling(FakePipeline(), floor=FloorRules(per_minute=0)) as room:
        room.call.character.speak_up(True)
        room.pipeline.offer(WAVED)
        await asyncio.sleep(5.0)
        assert (room.heard_s, room.call.character.speaks_up) == (0.0, False)


def speaks_up(room: Room) -> bool:
    return room.call.character.speaks_up


async def test_who_asks_for_quiet_gets_it_aloud_or_in_writing_until_they_take_it_back() -> None:
    pipeline = FakePipeline(hears=[Hears("Don't speak unless I ask.", after_s=0.1)])
    async with calling(pipeline) as room:
        live = room.call.session.current_agent.realtime_llm_session
        assert isinstance(live, AuraRealtimeSession)
        room.begins_to_speak()
        await asyncio.sleep(1.0)
        room.falls_silent()
        await asyncio.sleep(0.5)
        live.commit_audio()
        await asyncio.sleep(0.1)
        assert not speaks_up(room)
        live.conversation.caption("item_9", "Speak up again")
        assert not speaks_up(room), "they have not finished"
        await room.call.write("Aura, speak up again, please")
        assert speaks_up(room)
        await room.call.write("Only speak when I ask.")
        await room.call.write("Only speak when I ask.")
        assert not speaks_up(room)
        assert room.texts("proactive") == [
            "it speaks only when asked",
            "it speaks up again",
            "it speaks only when asked",
        ]
    told = [update["session"]["aura"]["proactive"] for update in pipeline.of("session.update")]
    assert told == ["offer", "off", "offer", "off"]


async def test_nobody_can_have_it_speak_up_where_its_persona_does_not() -> None:
    async with calling(FakePipeline(), persona=replace(PERSONA, proactive=False)) as room:
        await room.call.write("Speak up again.")
        assert not room.call.character.speaks_up


async def test_the_switch_turns_it_off_and_on_and_the_room_is_shown_which() -> None:
    pipeline = FakePipeline(voices=("vivian",))
    async with calling(pipeline) as room:
        shown = [
            (await room.call.character.become(PersonaChanges({"proactive": on})))["proactive"] for on in (False, True)
        ]
        assert (shown, room.call.character.speaks_up) == ([False, True], True)
        await room.call.write("Only speak when I ask.")
        await asyncio.sleep(0.1)
        assert msgspec.json.decode(room.of("aura.persona")[-1])["proactive"] is False
