"""What a call tells of itself: the wait of the turn that is answered, whatever else was to be heard."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgspec
import pytest
from livekit.agents import UserStateChangedEvent

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.livekit.conversation import TOO_LONG
from agent.livekit.send_queue import MOST_COMMANDS
from agent.persona.persona import Persona
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from agent.turns.turn_events import PartialHeard
from agent.video.still import PictureRefused
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

PARIS = Says((("Paris.", 1.0),), after_s=0.5)
NOISE = Hears("", "noise")
SILENCE_S = TURNS["console"].silence_s
HEARD_MS = round(SILENCE_S * 1000) + 10  # the pause, and a step of the loudspeaker


class Room:
    """A call without its ears: what voice activity and the gate tell it is told here."""

    def __init__(self, call: Call, notes: Notes) -> None:
        self.call, self._notes = call, notes

    def of(self, name: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(value) for _, value in self._notes.of(name)]

    @property
    def frames(self) -> int:
        return self._notes.frames

    @property
    def waits(self) -> list[tuple[int | None, int]]:
        figures = self.of("aura.timings")
        return [(wait["speech_end_to_first_audio_ms"], wait["create_to_first_audio_ms"]) for wait in figures]

    async def sound(self) -> None:
        """A second of it, found to be over when the silence after it makes a pause."""
        self.state("listening", "speaking")
        await asyncio.sleep(1 + SILENCE_S)
        self.state("speaking", "listening")

    async def question(self) -> None:
        await self.sound()
        self.call.spoken.turn()
        self.call.session.generate_reply()

    def state(self, old: Literal["speaking", "listening"], new: Literal["speaking", "listening"]) -> None:
        event = UserStateChangedEvent(old_state=old, new_state=new)
        self.call.session.emit("user_state_changed", event)


@asynccontextmanager
async def calling(pipeline: FakePipeline, first: str = "") -> AsyncIterator[Room]:
    """A call that has begun, and in which `first` was written before it had."""
    notes = Notes()
    persona, settings = Persona("Aura", "Be brief."), PipelineSettings("http://pipeline", "key")
    call = Call(settings, persona, TURNS["console"], notes, spoken=False, connect=pipeline.connect)
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        writing = tasks.create_task(call.write(first))
        await asyncio.sleep(0)
        await call.start(greet=False)
        await asyncio.sleep(1)
        yield Room(call, notes)
        await writing
        await call.aclose()
        playing.cancel()


async def test_a_spoken_question_is_answered_so_long_after_its_last_word() -> None:
    async with calling(FakePipeline(says=[PARIS])) as room:
        await room.question()
        await asyncio.sleep(5)
        assert room.waits == [(HEARD_MS + 500, 500)]


async def test_a_cough_does_not_begin_the_wait_for_what_is_written_a_minute_later() -> None:
    async with calling(FakePipeline(hears=[NOISE], says=[PARIS])) as room:
        await room.sound()
        await asyncio.sleep(60)
        await room.call.write("What is the capital?")
        await asyncio.sleep(5)
        assert room.waits == [(None, 500)]


async def test_a_cough_after_a_question_does_not_shorten_its_wait() -> None:
    slow = Says(PARIS.clauses, after_s=9.0)
    async with calling(FakePipeline(hears=[Hears("Which?"), NOISE], says=[slow])) as room:
        await room.question()
        room.call.on_committed()
        await room.sound()
        await asyncio.sleep(12)
        assert room.waits == [(HEARD_MS + 9_000, 9_000)]


async def test_what_is_written_before_the_call_has_begun_is_answered_when_it_has() -> None:
    async with calling(FakePipeline(says=[PARIS]), first="What is the capital?") as room:
        await asyncio.sleep(5)
        assert room.waits == [(None, 500)]


async def test_a_question_that_got_no_answer_does_not_begin_the_wait_for_what_is_written_later() -> None:
    async with calling(FakePipeline(says=[Says(silent=True), PARIS])) as room:
        await room.question()
        await asyncio.sleep(60)
        await room.call.write("What is the capital?")
        await asyncio.sleep(5)
        assert room.waits == [(None, 500)]


async def test_who_speaks_over_an_answer_that_sounds_has_interrupted_it() -> None:
    async with calling(FakePipeline(says=[Says((("One, two, three.", 9.0),))])) as room:
        await room.question()
        await asyncio.sleep(3)
        room.call.spoken.interrupt()
        await asyncio.sleep(1)
        assert [decision["what"] for decision in room.of("aura.decision")] == ["turn", "interrupted"]


async def test_who_goes_on_before_an_answer_sounds_has_interrupted_nothing() -> None:
    async with calling(FakePipeline(says=[Says(PARIS.clauses, after_s=9.0)])) as room:
        await room.question()
        await asyncio.sleep(3)
        room.call.spoken.interrupt()
        await asyncio.sleep(20)
        assert [decision["what"] for decision in room.of("aura.decision")] == ["turn", "continued"]
        assert room.waits == []


async def test_who_speaks_when_nobody_waits_for_anything_has_gone_on_with_nothing() -> None:
    async with calling(FakePipeline()) as room:
        room.call.spoken.interrupt()
        await asyncio.sleep(1)
        assert room.of("aura.decision") == []


EMBEDDED = {"speech_end": 2.0, "heard": 2.1, "created": 2.5, "aura_began": 2.1, "first_text": 2.6, "tts_began": 2.6}
ONSET_MS = round(TURNS["console"].onset_s * 1000)  # of a sound before it counts as one


async def test_the_stages_of_a_turn_add_up_to_its_wait() -> None:
    spoken = Says(PARIS.clauses, after_s=0.5, timings={**EMBEDDED, "first_pcm": 2.9, "first_sent": 2.91})
    async with calling(FakePipeline(says=[spoken])) as room:
        await room.question()
        await asyncio.sleep(5)
        [timings] = room.of("aura.timings")
        assert timings["waited_ms"] == {
            "endpointing": round(SILENCE_S * 1000),
            "asr": 0,
            "aura": 100,
            "tts": 300,
            "wire": 100,
            "playback": 10,
        }
        assert sum(timings["waited_ms"].values()) == timings["speech_end_to_first_audio_ms"]
        assert timings["took_ms"] == {"asr": 100, "aura": 500, "tts": 300}


@pytest.mark.parametrize("told", [{"created": "soon"}, ["created"], "created"])
async def test_timings_that_are_none_are_left_out_and_the_wait_is_told(told: Any) -> None:
    async with calling(FakePipeline(says=[Says(PARIS.clauses, after_s=0.5, timings=told)])) as room:
        await room.question()
        await asyncio.sleep(5)
        assert room.waits == [(HEARD_MS + 500, 500)]
        assert room.of("aura.timings")[0]["waited_ms"] == {}


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("model", "chose to say nothing"),
        ("no_words", "no words were heard in what was said"),
        ("unspoken", "what it wrote cannot be spoken"),
        ("something_new", "said nothing"),
    ],
)
async def test_silence_says_whose_it_is_and_how_long_it_took(reason: str, text: str) -> None:
    async with calling(FakePipeline(says=[Says(silent=True, reason=reason, after_s=0.4)])) as room:
        await room.question()
        await asyncio.sleep(5)
        silent = room.of("aura.decision")[-1]
        assert (silent["what"], silent["reason"], silent["text"]) == ("silent", reason, text)
        assert silent["figures"] == {"response_id": silent["figures"]["response_id"], "waited_ms": 400}
        assert silent["figures"]["response_id"].startswith("resp_")


async def test_a_question_says_how_long_it_was() -> None:
    async with calling(FakePipeline(hears=[Hears("Which one?", after_s=0.2)], says=[PARIS])) as room:
        await room.sound()
        await asyncio.sleep(0.3)
        room.call.spoken.turn()
        await asyncio.sleep(1)
        [turn] = room.of("aura.decision")
        assert (turn["what"], turn["reason"]) == ("turn", "words")
        assert turn["figures"] == {
            "sound_ms": 1_000 + ONSET_MS,
            "over_agent_ms": 0,
            "since_pause_ms": 550,
            "label_ms": 450,
            "label_audio_ms": 1_000,
        }


@pytest.mark.parametrize(
    ("heard", "what", "reason", "text"),
    [
        (Hears("mhm", "backchannel"), "backchannel", "backchannel", "a sign of listening"),
        (Hears("", "noise"), "noise", "no_words", "no words were heard"),
        (Hears("[music]", "noise"), "noise", "noise", "only noise was heard"),
        (None, "noise", "timeout", "nothing was made out of it in time"),
    ],
)
async def test_a_sound_that_is_no_turn_says_why(heard: Hears | None, what: str, reason: str, text: str) -> None:
    pipeline = FakePipeline(hears=[heard] if heard else [], says=[Says((("One, two, three.", 40.0),))])
    async with calling(pipeline) as room:
        room.call.session.generate_reply(user_input="Please count.")
        await asyncio.sleep(3)
        await room.sound()
        await asyncio.sleep(20)
        decided = {decision["what"]: decision for decision in room.of("aura.decision")}
        assert (decided[what]["reason"], decided[what]["text"]) == (reason, text)
        figures = decided[what]["figures"]
        assert figures["sound_ms"] == figures["over_agent_ms"] == 1_000 + ONSET_MS
        assert decided["resumed"]["reason"] == reason
        if heard:
            assert (figures["since_pause_ms"], figures["label_ms"], figures["label_audio_ms"]) == (450, 450, 1_000)
        else:
            assert figures["since_pause_ms"] == round((TURNS["console"].late_label_s + SILENCE_S) * 1000)
            assert "label_ms" not in figures


async def test_what_was_taken_for_words_at_first_says_so() -> None:
    async with calling(FakePipeline(says=[Says((("One, two, three.", 40.0),))])) as room:
        await room.question()
        await asyncio.sleep(3)
        room.state("listening", "speaking")
        room.call.on_partial(PartialHeard("item_9", "stop", "speech", 300, settled=False))
        await asyncio.sleep(1)
        room.state("speaking", "listening")
        room.call.on_partial(PartialHeard("item_9", "", "noise", 700, settled=True))
        await asyncio.sleep(1)
        assert [(decision["what"], decision["reason"]) for decision in room.of("aura.decision")[1:]] == [
            ("interrupted", "words"),
            ("noise", "taken_back"),
        ]


async def test_who_speaks_without_a_pause_is_told_that_it_was_long() -> None:
    async with calling(FakePipeline(says=[PARIS])) as room:
        room.state("listening", "speaking")
        await asyncio.sleep(31)
        room.call.on_partial(PartialHeard("item_9", "and so on", "speech", 30_500, settled=False))
        await asyncio.sleep(1)
        turn = room.of("aura.decision")[0]
        assert (turn["what"], turn["reason"], turn["figures"]["sound_ms"]) == ("turn", "long_speech", 31_000 + ONSET_MS)


@pytest.mark.parametrize(("says", "reason"), [(Says(error="tts: broken"), "engine_failed"), (None, "timeout")])
async def test_an_answer_that_fails_says_by_a_code_why(says: Says | None, reason: str) -> None:
    pipeline = FakePipeline(says=[says] if says else [], slow_s=0.0 if says else 60.0)
    async with calling(pipeline) as room:
        await room.question()
        await asyncio.sleep(100)
        assert [(each["what"], each["reason"]) for each in room.of("aura.decision")][1:] == [("error", reason)]


async def test_a_line_that_is_down_says_so() -> None:
    async with calling(FakePipeline()) as room:
        room.call.on_trouble("The speech server has stopped.")
        room.call.on_trouble("")
        room.call.on_trouble(TOO_LONG)
        await asyncio.sleep(1)
        assert [each["reason"] for each in room.of("aura.decision")] == ["line", "too_long"]


async def test_what_people_say_is_in_no_decision_and_in_no_figure() -> None:
    secret = "my number is 4711"
    hears = [Hears(secret, "backchannel"), Hears(secret, "noise"), Hears(secret)]
    async with calling(FakePipeline(hears=hears, says=[Says(((secret, 20.0),)), Says(silent=True)])) as room:
        room.call.session.generate_reply(user_input=secret)
        await asyncio.sleep(3)
        for _ in range(3):
            await room.sound()
            await asyncio.sleep(1)
        room.call.spoken.turn()
        room.call.session.generate_reply()
        await asyncio.sleep(3)
        assert {"turn", "backchannel", "noise", "silent"} <= {each["what"] for each in room.of("aura.decision")}
        assert "4711" not in str(room.of("aura.decision") + room.of("aura.timings"))


async def test_a_picture_goes_with_what_is_written_and_is_answered() -> None:
    pipeline = FakePipeline(says=[PARIS])
    async with calling(pipeline) as room:
        room.call.look(b"jpeg", "Where is this?")
        await asyncio.sleep(3)
        (asked,) = pipeline.of("conversation.item.create")
        assert [part["type"] for part in asked["item"]["content"]] == ["input_text", "input_image"]
        assert pipeline.kinds()[-2:] == ["conversation.item.create", "response.create"]


async def test_of_two_pictures_with_the_same_words_each_goes_with_its_own() -> None:
    pipeline = FakePipeline(says=[PARIS, PARIS])
    async with calling(pipeline) as room:
        room.call.look(b"one", "Where is this?")
        room.call.look(b"two", "Where is this?")
        await asyncio.sleep(5)
        contents = [event["item"]["content"] for event in pipeline.of("conversation.item.create")]
        shown = [part["image_url"].rpartition(",")[2] for content in contents for part in content[1:]]
        assert [b64decode(one) for one in shown] == [b"one", b"two"]


async def test_a_picture_that_was_refused_since_too_much_waits_is_not_shown_later() -> None:
    pipeline = FakePipeline()
    async with calling(pipeline) as room:
        session: Any = room.call.session.current_agent.realtime_llm_session
        for _ in range(MOST_COMMANDS):
            session.conversation.truncate("nothing", 0, "")
        with pytest.raises(PictureRefused, match="too much waits"):
            room.call.look(b"jpeg", "")
        await asyncio.sleep(1)
        pipeline.break_off()
        await asyncio.sleep(3)
        shown = [event for event in pipeline.of("conversation.item.create") if len(event["item"]["content"]) > 1]
        assert shown == []


async def test_a_picture_without_words_waits_for_a_question() -> None:
    pipeline = FakePipeline()
    async with calling(pipeline) as room:
        room.call.look(b"jpeg", "")
        await asyncio.sleep(3)
        (shown,) = pipeline.of("conversation.item.create")
        assert [part["type"] for part in shown["item"]["content"]] == ["input_text", "input_image"]
        assert "response.create" not in pipeline.kinds()


async def test_a_pipeline_without_eyes_is_sent_no_picture() -> None:
    pipeline = FakePipeline(sees=False)
    async with calling(pipeline) as room:
        with pytest.raises(PictureRefused, match="nothing here looks at pictures"):
            room.call.look(b"jpeg", "Where is this?")
        assert pipeline.of("conversation.item.create") == []


async def test_who_is_seen_is_told_of_each_picture_and_nobody_else() -> None:
    for sees, told in ((True, 3), (False, 0)):
        async with calling(FakePipeline(sees=sees)) as room:
            for _ in range(3):
                room.call.on_picture("camera")
            assert room.frames == told
