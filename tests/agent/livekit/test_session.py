"""The pipeline as LiveKit sees it: what LiveKit calls becomes events, and events become what LiveKit plays."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from livekit.agents import llm
from livekit.agents.types import TimedString

from agent.floor.floor import RemarkOffer
from agent.livekit.connection import PipelineEndpoint
from agent.livekit.media import sound
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.send_queue import MOST_COMMANDS
from agent.livekit.session import AuraRealtimeSession
from agent.livekit.session_persona import PersonaInForce
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.changes import Refusal
from agent.persona.persona import AURA
from agent.settings.agent import PipelineSettings
from agent.turns.turn_events import PartialHeard
from agent.video.sourced_frame import VideoSource
from pipeline.realtime.client import Event, Unreachable
from tests.agent.fake_pipeline import FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

TWO_CLAUSES = Says((("It is ", 0.5), ("Paris.", 1.0)))


class Listener:
    """Notes what the session tells."""

    def __init__(self) -> None:
        self.partials: list[PartialHeard] = []
        self.outcomes: list[ResponseOutcome] = []
        self.troubles: list[str] = []
        self.lines: list[str] = []
        self.sees: list[bool] = []
        self.busy: list[bool] = []
        self.owed: list[bool] = []
        self.offers: list[RemarkOffer] = []
        self.refused_offers: list[str] = []
        self.personas: list[PersonaInForce] = []
        self.refused: list[str] = []
        self.committed = self.broken = self.tool_news = 0
        self.pictures: list[VideoSource] = []
        self.observations: list[str] = []
        self.votes: list[float] = []

    def on_partial(self, partial: PartialHeard) -> None:
        self.partials.append(partial)

    def on_committed(self) -> None:
        self.committed += 1

    def on_answers(self, busy: bool, owed: bool, writing: bool) -> None:
        self.busy.append(busy)
        self.owed.append(owed)

    def on_broken_answer(self) -> None:
        self.broken += 1

    def on_outcome(self, outcome: ResponseOutcome) -> None:
        self.outcomes.append(outcome)

    def on_connection(self, resume_token: str, sees: bool) -> None:
        self.lines.append(resume_token)
        self.sees.append(sees)

    def on_persona(self, in_force: PersonaInForce) -> None:
        self.personas.append(in_force)

    def on_refused(self, refused: Refusal) -> None:
        self.refused.append(str(refused))

    def on_trouble(self, text: str) -> None:
        self.troubles.append(text)

    def on_picture(self, source: VideoSource) -> None:
        self.pictures.append(source)

    def on_end_of_turn(self, probability: float) -> None:
        self.votes.append(probability)

    def on_observation(self, line: str) -> None:
        self.observations.append(line)

    def on_offer(self, offer: RemarkOffer) -> None:
        self.offers.append(offer)

    def on_tools(self) -> None:
        self.tool_news += 1

    def on_offer_refused(self, offer_id: str) -> None:
        self.refused_offers.append(offer_id)


@asynccontextmanager
async def talking(
    pipeline: FakePipeline, resume_token: str = ""
) -> AsyncIterator[tuple[AuraRealtimeSession, Listener]]:
    listener = Listener()
    wishes = PipelineSessionSettings(AURA, spoken=True, camera=True)
    endpoint = PipelineEndpoint(PipelineSettings("http://pipeline", "key"), pipeline.connect, resume_token)
    model = AuraRealtimeModel(endpoint, wishes, listener)
    session = model.session()
    await asyncio.sleep(0.01)
    yield session, listener
    await model.aclose()


async def played(generation: llm.GenerationCreatedEvent) -> tuple[list[str], float]:
    """The words, and the seconds of sound, of all messages of an answer."""
    words: list[str] = []
    seconds = 0.0
    async for message in generation.message_stream:
        assert await message.modalities == ["audio", "text"]
        words += [text async for text in message.text_stream]
        seconds += sum([frame.duration async for frame in message.audio_stream])
    return words, seconds


def ids(context: llm.ChatContext) -> list[tuple[str, str]]:
    return [(item.role, item.text_content or "") for item in context.items if isinstance(item, llm.ChatMessage)]


@pytest.mark.parametrize(
    ("language", "context", "told"),
    [
        ("auto", "", {}),
        ("en", "", {"language": "en"}),
        ("en", "Wouter", {"language": "en", "prompt": "Wouter"}),
    ],
)
def test_it_tells_what_people_may_say(language: str, context: str, told: dict[str, str]) -> None:
    persona = replace(AURA, language=language, context=context)
    asked = PipelineSessionSettings(persona, spoken=True, camera=False).session()
    assert asked["audio"]["input"]["transcription"] == told


async def test_it_introduces_itself_and_wants_partials_and_no_turn_detection() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline):
        pass
    asked = pipeline.of("session.update")[0]["session"]
    assert asked["instructions"] == AURA.instructions
    assert asked["audio"]["input"]["turn_detection"] is None
    assert asked["aura"] == {"partials": True, "proactive": "off", "camera": True}


async def test_it_hands_on_how_likely_the_person_has_finished() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline) as (_, listener):
        pipeline.tell("aura.end_of_turn", item_id="item_1", probability=0.25)
        await asyncio.sleep(0.1)
    assert listener.votes == [0.25]


async def test_it_asks_what_is_seen_of_a_pipeline_that_can_tell_and_hands_on_each_line() -> None:
    pipeline = FakePipeline(observes=True)
    async with talking(pipeline) as (_, listener):
        for line in ("a person, a book", ""):
            pipeline.tell("aura.observation", text=line, source="camera", things=[], written="", age_ms=40)
        await asyncio.sleep(0.1)
    assert pipeline.of("session.update")[0]["session"]["aura"]["observations"] is True
    assert listener.observations == ["a person, a book", ""]


@pytest.mark.parametrize("sees", [True, False])
async def test_it_tells_whether_the_pipeline_sees_while_it_reaches_one(sees: bool) -> None:
    pipeline = FakePipeline(sees=sees)
    async with talking(pipeline) as (_, listener):
        pipeline.break_off()
        await asyncio.sleep(1)
    assert listener.sees[:3] == [sees, False, sees]


async def test_an_answer_becomes_words_with_times_and_sound() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        generation = await session.generate_reply()
        words, seconds = await played(generation)
    assert [(word, word.start_time, word.end_time) for word in words if isinstance(word, TimedString)] == [
        ("It is ", 0.0, 0.5),
        ("Paris.", 0.5, 1.5),
    ]
    assert seconds == pytest.approx(1.5)
    assert generation.user_initiated
    assert [outcome.status for outcome in listener.outcomes] == ["completed"]
    assert (listener.busy[0], listener.busy[-1]) == (True, False)
    assert ids(session.chat_ctx) == [("assistant", "It is Paris.")]


async def test_silence_is_an_answer_without_messages() -> None:
    async with talking(FakePipeline(says=[Says(silent=True)])) as (session, listener):
        assert await played(await session.generate_reply()) == ([], 0.0)
        assert listener.outcomes[0].decision == "silent"


async def test_a_failed_answer_ends_and_says_why() -> None:
    async with talking(FakePipeline(says=[Says(error="no voice")])) as (session, listener):
        assert await played(await session.generate_reply()) == ([], 0.0)
        assert listener.outcomes[0].error == "no voice"


async def test_a_greeting_is_said_as_it_is() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline) as (session, _):
        words, _ = await played(await session.say("Hello!"))
    assert words == ["Hello!"]
    assert pipeline.of("response.create")[0]["response"]["metadata"]["say"] == "Hello!"


async def test_nobody_waits_for_a_greeting_and_it_is_not_timed() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES, Says(silent=True)])
    async with talking(pipeline) as (session, listener):
        await played(await session.say("Hello!"))
        greeting = session.conversation.answers.newest
        assert greeting and greeting.asked_at is None
        assert (True in listener.busy, True in listener.owed) == (True, False)
        generation = await session.generate_reply()
        answer = session.conversation.answers.newest
        assert answer and answer.asked_at is not None
        assert listener.owed[-1]
        await played(generation)
        await played(await session.generate_reply())
        assert not listener.owed[-1]  # though nothing was said


async def test_who_gives_up_an_answer_waits_for_none() -> None:
    async with talking(FakePipeline(says=[TWO_CLAUSES])) as (session, listener):
        await session.generate_reply()
        assert listener.owed[-1]
        session.interrupt()
        assert not listener.owed[-1]


async def test_an_interruption_cancels_that_answer_and_no_other() -> None:
    pipeline = FakePipeline(says=[Says((("one ", 3.0), ("two ", 3.0))), TWO_CLAUSES])
    async with talking(pipeline) as (session, _):
        first = await session.generate_reply()
        await asyncio.sleep(0.3)
        session.interrupt()
        session.interrupt()
        second = session.generate_reply()
        assert (await played(first))[0] == ["one "]
        assert (await played(await second))[0] == ["It is ", "Paris."]
    assert [event["response_id"] for event in pipeline.of("response.cancel")] == [first.response_id]


async def test_what_was_heard_is_told_to_the_pipeline_and_kept() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, _):
        generation = await session.generate_reply()
        message = await anext(aiter(generation.message_stream))
        session.interrupt()
        session.truncate(
            message_id=message.message_id, modalities=["audio"], audio_end_ms=400, audio_transcript="It is"
        )
        await asyncio.sleep(5.0)
        assert ids(session.chat_ctx) == [("assistant", "It is")]
    truncated = pipeline.of("conversation.item.truncate")[0]
    assert (truncated["item_id"], truncated["audio_end_ms"]) == (message.message_id, 400)


async def test_a_reply_that_is_given_up_before_it_begins_is_cancelled_when_it_does() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        session.generate_reply().cancel()
        await asyncio.sleep(1.0)
    assert len(pipeline.of("response.cancel")) == 1
    assert not listener.busy[-1]


async def test_typed_words_become_an_item_before_they_are_answered() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, _):
        context = session.chat_ctx.copy()
        context.add_message(role="user", content="Where is Rome?")
        await session.update_chat_ctx(context)
        await played(await session.generate_reply())
    assert pipeline.kinds() == ["session.update", "conversation.item.create", "response.create"]
    assert pipeline.of("conversation.item.create")[0]["item"]["content"] == [
        {"type": "input_text", "text": "Where is Rome?"}
    ]


async def test_an_answer_of_which_nothing_was_heard_is_deleted_and_questions_stay() -> None:
    pipeline = FakePipeline(hears=[Hears("Where is Rome?")], says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, _):
        session.conversation.activity(True, 50)
        session.conversation.activity(False, 250)
        await asyncio.sleep(0.3)
        session.commit_audio()
        await played(await session.generate_reply())
        assert [role for role, _ in ids(session.chat_ctx)] == ["user", "assistant"]
        answer_id = session.chat_ctx.items[1].id
        await session.update_chat_ctx(llm.ChatContext.empty())
        await asyncio.sleep(0.1)
        assert ids(session.chat_ctx) == [("user", "Where is Rome?")]
    assert [event["item_id"] for event in pipeline.of("conversation.item.delete")] == [answer_id]


async def test_what_the_person_says_is_captioned_and_final_when_it_is_certain() -> None:
    captions: list[llm.InputTranscriptionCompleted] = []
    pipeline = FakePipeline(hears=[Hears("Where is Rome?")])
    async with talking(pipeline) as (session, listener):
        session.on("input_audio_transcription_completed", captions.append)
        session.conversation.activity(True, 50)
        session.conversation.activity(False, 250)
        await asyncio.sleep(0.3)
        assert [(partial.text, partial.kind, partial.settled) for partial in listener.partials] == [
            ("Where is Rome?", "speech", True)
        ]
        session.conversation.caption(listener.partials[0].item_id, "Where is Ro")
        session.commit_audio()
        await asyncio.sleep(0.1)
    assert [(caption.transcript, caption.is_final) for caption in captions] == [
        ("Where is Ro", False),
        ("Where is Rome?", True),
    ]
    assert captions[0].item_id == captions[1].item_id
    assert listener.committed == 1


async def test_activity_is_told_on_the_clock_of_the_sound_that_was_sent() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline) as (session, _):
        for _ in range(20):
            session.push_audio(sound(bytes(2 * 1200)))
        session.conversation.activity(True, 50)
        session.conversation.activity(False, 2_000)
        await asyncio.sleep(0.1)
    assert [event["audio_ms"] for event in pipeline.of("input_audio_buffer.activity")] == [950, 0]


async def test_activity_counts_the_sound_that_has_left_on_this_connection() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with talking(pipeline) as (session, _):
        session.push_audio(sound(bytes(2 * 24_000)))
        await asyncio.sleep(0.1)
        pipeline.break_off()
        await asyncio.sleep(0.1)
        for _ in range(400):  # more than waits for a line: of 20 s, the last 10
            session.push_audio(sound(bytes(2 * 1_200)))
        session.conversation.activity(True, 50)
        await asyncio.sleep(1.0)
        session.conversation.activity(False, 250)
        await asyncio.sleep(0.1)
    sent = len(pipeline.of("input_audio_buffer.append")) - 1
    assert sent > 190
    assert [event["audio_ms"] for event in pipeline.of("input_audio_buffer.activity")] == [
        sent * 50 - 50,
        sent * 50 - 250,
    ]


async def test_a_typed_message_waits_for_the_line_however_long_it_is_away() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with talking(pipeline) as (session, _):
        pipeline.refusals = [Unreachable("")] * 20
        pipeline.break_off()
        await asyncio.sleep(0.1)
        context = session.chat_ctx.copy()
        context.add_message(role="user", content="Where is Rome?")
        await session.update_chat_ctx(context)
        for _ in range(60 * 20):
            session.push_audio(sound(bytes(2 * 1_200)))
            await asyncio.sleep(0.05)
        pipeline.refusals = []
        await asyncio.sleep(6.0)
        created = [event["item"]["content"][0]["text"] for event in pipeline.of("conversation.item.create")]
        assert created == ["Where is Rome?"]


async def test_a_typed_message_that_left_on_a_line_that_was_dead_is_sent_again() -> None:
    class Gone(FakePipeline):
        def _take(self, event: Event) -> None:
            if not gone:
                super()._take(event)

    gone, pipeline = False, Gone(can_resume=True)
    async with talking(pipeline) as (session, _):
        first, second = session.chat_ctx.copy(), session.chat_ctx.copy()
        first.add_message(role="user", content="Where is Rome?")
        await session.update_chat_ctx(first)
        await asyncio.sleep(0.1)
        gone = True
        second = session.chat_ctx.copy()
        second.add_message(role="user", content="And where is Paris?")
        await session.update_chat_ctx(second)
        await asyncio.sleep(0.1)
        pipeline.received.clear()
        gone = False
        pipeline.break_off()
        await asyncio.sleep(1.0)
        created = [event["item"]["content"][0]["text"] for event in pipeline.of("conversation.item.create")]
        assert created == ["And where is Paris?"]


@pytest.mark.parametrize("resumes", [True, False])
async def test_what_is_typed_while_the_line_is_away_is_told_once(resumes: bool) -> None:
    pipeline = FakePipeline(can_resume=resumes)
    async with talking(pipeline) as (session, _):
        pipeline.refusals = [Unreachable("")]
        pipeline.break_off()
        await asyncio.sleep(0.1)
        for text in ("Where is Rome?", "And Paris?"):
            context = session.chat_ctx.copy()
            context.add_message(role="user", content=text)
            await session.update_chat_ctx(context)
        await asyncio.sleep(5.0)
        created = [event["item"]["content"][0]["text"] for event in pipeline.of("conversation.item.create")]
        assert created == ["Where is Rome?", "And Paris?"]
        pipeline.break_off()
        await asyncio.sleep(5.0)
        assert len(pipeline.of("conversation.item.create")) == (2 if resumes else 4)


async def test_a_conversation_that_is_told_again_on_a_line_that_breaks_is_told_to_its_end_on_the_next() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline) as (session, _):
        context = session.chat_ctx.copy()
        for number in range(3):
            context.add_message(role="user", content=f"Number {number}.")
        await session.update_chat_ctx(context)
        await asyncio.sleep(0.1)
        pipeline.received.clear()

        def cut_off(event: Event) -> None:
            if event["type"] == "session.update" and pipeline.socket:
                pipeline.can_resume, pipeline.on_event = True, None
                pipeline.socket.inbox = asyncio.Queue()  # what follows it never comes
                pipeline.break_off()

        pipeline.on_event = cut_off
        pipeline.break_off()
        await asyncio.sleep(5.0)
        created = [event["item"]["content"][0]["text"] for event in pipeline.of("conversation.item.create")]
        assert (pipeline.resumed_with, created) == (
            [None, "token_1", "token_2"],
            ["Number 0.", "Number 1.", "Number 2."],
        )


async def test_who_types_more_than_can_wait_is_told_and_it_is_not_in_the_conversation() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with talking(pipeline) as (session, listener):
        pipeline.refusals = [Unreachable("")] * 20
        pipeline.break_off()
        await asyncio.sleep(0.1)
        context = session.chat_ctx.copy()
        for number in range(MOST_COMMANDS + 1):
            context.add_message(role="user", content=f"Number {number}.", id=f"typed_{number}")
        with pytest.raises(llm.RealtimeError, match="wait for the pipeline"):
            await session.update_chat_ctx(context)
        assert len(session.chat_ctx.items) == MOST_COMMANDS
        with pytest.raises(llm.RealtimeError, match="wait for the pipeline"):
            await session.generate_reply()
        assert (listener.busy[-1], listener.outcomes[-1].status) == (False, "failed")
        pipeline.refusals = []
        await asyncio.sleep(6.0)
        assert len(pipeline.of("conversation.item.create")) == MOST_COMMANDS


async def test_a_new_session_after_a_break_is_told_what_was_said_and_heard() -> None:
    pipeline = FakePipeline(hears=[Hears("Where is Rome?")], says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        session.conversation.activity(True, 50)
        session.conversation.activity(False, 250)
        await asyncio.sleep(0.3)
        session.commit_audio()
        await played(await session.generate_reply())
        session.push_audio(sound(bytes(2 * 24_000)))
        pipeline.received.clear()
        pipeline.break_off()
        await asyncio.sleep(1.0)
        session.conversation.activity(True, 0)
        await asyncio.sleep(0.1)
    created = [event["item"] for event in pipeline.of("conversation.item.create")]
    assert [(item["role"], item["content"][0]["text"]) for item in created] == [
        ("user", "Where is Rome?"),
        ("assistant", "It is Paris."),
    ]
    assert pipeline.kinds()[0] == "session.update"
    assert pipeline.of("input_audio_buffer.activity")[0]["audio_ms"] == 0  # a new session, a new clock
    assert listener.troubles[0] == "" and listener.troubles[-1] == "" and any(listener.troubles)


async def test_a_resumed_session_is_told_nothing_again_but_that_the_cut_answer_is_over() -> None:
    pipeline = FakePipeline(says=[Says((("one two three", 9.0),))], can_resume=True)
    async with talking(pipeline) as (session, listener):
        generation = await session.generate_reply()
        await asyncio.sleep(0.5)
        pipeline.received.clear()
        pipeline.break_off()
        words, seconds = await played(generation)
        await asyncio.sleep(1.0)
        pipeline.break_off()
        await asyncio.sleep(1.0)
        assert listener.broken == 1
    assert words == ["one two three"] and 0 < seconds < 9
    assert pipeline.kinds() == ["session.update", "response.cancel", "session.update"]


async def test_a_reply_asked_for_while_the_pipeline_is_away_fails_in_time_and_says_so() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        reply = session.generate_reply()
        pipeline.break_off()
        with pytest.raises(llm.RealtimeError, match="cannot be reached"):
            await reply
        assert listener.busy[-1] is False


async def test_what_was_asked_for_while_the_pipeline_was_away_is_not_asked_again_when_it_is_back() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        pipeline.refusals = [Unreachable("")] * 3
        pipeline.break_off()
        await asyncio.sleep(0.1)
        with pytest.raises(llm.RealtimeError, match="cannot be reached"):
            await session.generate_reply()
        given_up = session.generate_reply()
        given_up.cancel()
        await asyncio.sleep(5.0)
        assert pipeline.of("response.create") == []
        assert listener.broken == 1


@pytest.mark.parametrize("status", ["failed", "cancelled"])
async def test_an_answer_that_ends_with_the_pipeline_before_it_sounds_is_told_of_when_the_line_is_back(
    status: str,
) -> None:
    pipeline = FakePipeline(says=[Says((("never ", 3.0),), after_s=9.0)])
    async with talking(pipeline) as (session, listener):
        context = session.chat_ctx.copy()
        context.add_message(role="user", content="Where is Rome?")
        await session.update_chat_ctx(context)
        answer = await session.generate_reply()
        pipeline.tell("response.done", response={"id": answer.response_id, "status": status, "metadata": {}})
        await asyncio.sleep(1.0)
        pipeline.break_off()
        await asyncio.sleep(1.0)
        assert listener.broken == 1
        pipeline.break_off()
        await asyncio.sleep(5.0)
        assert listener.broken == 1


async def test_an_answer_that_failed_long_before_the_line_did_is_not_told_of_again() -> None:
    async with talking(pipeline := FakePipeline(says=[Says(error="no voice")])) as (session, listener):
        await played(await session.generate_reply())
        await asyncio.sleep(60.0)
        pipeline.break_off()
        await asyncio.sleep(1.0)
        assert listener.broken == 0


async def test_nobody_is_told_that_a_greeting_was_cut_off() -> None:
    pipeline = FakePipeline()
    async with talking(pipeline) as (session, listener):
        await session.say("Hello!")
        pipeline.break_off()
        await asyncio.sleep(5.0)
        assert listener.broken == 0


async def test_a_pipeline_that_never_begins_does_not_hold_the_conversation() -> None:
    class Deaf(FakePipeline):
        def _take(self, event: Event) -> None:
            self.received.append((0.0, event))

    async with talking(Deaf()) as (session, listener):
        began = asyncio.get_running_loop().time()
        with pytest.raises(llm.RealtimeError, match="in time"):
            await session.generate_reply()
        assert asyncio.get_running_loop().time() - began == pytest.approx(20.0)
        assert listener.broken == 1


async def test_a_refused_reply_fails_with_the_pipelines_words() -> None:
    class Refusing(FakePipeline):
        def _begin(self, asked: dict[str, Any], says: Says) -> None:
            event_id = asked["metadata"]["client_event_id"]
            error = {"type": "invalid_request_error", "code": "busy", "message": "one at a time", "event_id": event_id}
            self.tell("error", error=error)

    async with talking(Refusing()) as (session, listener):
        with pytest.raises(llm.RealtimeError, match="one at a time"):
            await session.generate_reply()
        assert ([outcome.error for outcome in listener.outcomes], listener.broken) == (["one at a time"], 1)
        with pytest.raises(llm.RealtimeError, match="one at a time"):
            await session.say("Sorry!")
        assert (len(listener.outcomes), listener.broken) == (2, 1)  # an apology for an apology would never end


async def test_a_question_after_one_that_was_given_up_waits_for_no_answer_to_that() -> None:
    pipeline = FakePipeline(says=[Says((("one ", 9.0),)), TWO_CLAUSES], slow_s=0.5)
    async with talking(pipeline) as (session, listener):
        await asyncio.sleep(1.0)
        session.generate_reply()
        await asyncio.sleep(0.1)
        session.interrupt()
        words, _ = await played(await session.generate_reply())
    assert words == ["It is ", "Paris."]
    assert pipeline.kinds() == ["session.update", "response.create", "response.cancel", "response.create"]
    assert listener.broken == 0


async def test_a_question_takes_the_place_of_an_answer_that_was_not_stopped() -> None:
    pipeline = FakePipeline(says=[Says((("one ", 9.0),)), TWO_CLAUSES])
    async with talking(pipeline) as (session, _):
        await session.generate_reply()
        assert (await played(await session.generate_reply()))[0] == ["It is ", "Paris."]
    assert pipeline.kinds() == ["session.update", "response.create", "response.cancel", "response.create"]


async def test_a_question_that_is_refused_for_an_answer_not_known_here_is_asked_once_more() -> None:
    class Occupied(FakePipeline):
        def _take(self, event: Event) -> None:
            if event["type"] == "response.create" and len(self.of("response.create")) < occupied:
                self.received.append((0.0, event))
                error = {"code": "conversation_already_has_active_response", "message": "still being given"}
                self.tell("error", error={**error, "event_id": event["event_id"]})
            else:
                super()._take(event)

    occupied, pipeline = 1, Occupied(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        assert (await played(await session.generate_reply()))[0] == ["It is ", "Paris."]
        assert pipeline.kinds() == ["session.update", "response.create", "response.cancel", "response.create"]
        occupied = 9
        with pytest.raises(llm.RealtimeError, match="still being given"):
            await session.generate_reply()
        assert (len(pipeline.of("response.create")), listener.broken) == (4, 1)


async def test_an_answer_that_nobody_asked_for_is_offered_to_livekit() -> None:
    offered: list[llm.GenerationCreatedEvent] = []
    pipeline = FakePipeline()
    async with talking(pipeline) as (session, _):
        session.on("generation_created", offered.append)
        pipeline.tell("response.created", response={"id": "resp_x", "metadata": {}})
        await asyncio.sleep(0.1)
    assert [(generation.response_id, generation.user_initiated) for generation in offered] == [("resp_x", False)]


@pytest.mark.parametrize(
    "call",
    [
        lambda session: session.push_audio(None),
        lambda session: session.push_video(None),
        lambda session: session.truncate(message_id=None, modalities=None, audio_end_ms=None),
        lambda session: session.interrupt(),
        lambda session: session.clear_audio(),
        lambda session: session.update_options(),
        lambda session: session.start_user_activity(),
    ],
)
async def test_no_call_raises(call: Any) -> None:
    async with talking(FakePipeline()) as (session, _):
        call(session)
