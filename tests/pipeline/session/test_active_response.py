"""An answer on its way out: order, pace, and what was played."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from pipeline.context.conversation import Conversation
from pipeline.engines.fake import tone
from pipeline.errors import EngineError
from pipeline.session.active_response import ActiveResponse
from pipeline.session.response_request import ResponseRequest
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import AudioChunk, TextChunk, TokenUsage, TurnId
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.response_events import (
    AudioDelta,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    TextDelta,
    TranscriptDelta,
)
from pipeline.types.history import History
from pipeline.types.turn_request import ResponseOptions
from tests.tidy import nothing_left


class Given:
    """An answer that is being given: the test plays the engines, and sees what the caller is told."""

    def __init__(self, response_options: ResponseOptions) -> None:
        self.output = SpeculativeOutput(60_000)
        self.told: list[tuple[float, SessionEvent]] = []
        request = ResponseRequest(TurnId("s", 0), "resp", "item", response_options)
        self.answer = ActiveResponse(request, self.output, Conversation(History(), self), self)

    def emit(self, event: SessionEvent) -> None:
        self.told.append((now(), event))

    def done(self) -> ResponseDone:
        """How it ends if it ends now."""
        self.answer.finish("completed")
        ((_, event),) = self.told[-1:]
        assert isinstance(event, ResponseDone)
        return event

    @property
    def opened(self) -> list[float]:
        return [at for at, event in self.told if isinstance(event, ResponseItemAdded)]

    @property
    def sent(self) -> list[tuple[float, float]]:
        """When sound left, and how many milliseconds of it."""
        return [(at, AudioChunk(event.pcm).duration_ms) for at, event in self.told if isinstance(event, AudioDelta)]

    @property
    def words(self) -> list[tuple[float, str]]:
        return [(at, event.text) for at, event in self.told if isinstance(event, TranscriptDelta | TextDelta)]


@asynccontextmanager
async def given(response_options: ResponseOptions | None = None) -> AsyncGenerator[Given, None]:
    giving = Given(response_options or ResponseOptions())
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(giving.answer.deliver())
        async with giving.output:
            giving.output.commit()
            yield giving


async def test_sound_leaves_a_second_and_a_half_ahead_of_playback_and_no_more() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(4_000), "Long."))
    assert giving.sent == [(round(max(0.0, 0.2 * n - 1.5), 6), 200.0) for n in range(1, 21)]


async def test_the_turn_ends_for_the_caller_when_the_last_sound_has_left() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(4_000), "Long."))
    assert now() == 2.5


async def test_words_are_told_before_their_sound_can_leave() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(4_000), "One."))
        await giving.output.send(AudioChunk(tone(4_000), " Two."))
        await asyncio.sleep(1)
    assert giving.words == [(0.0, "One."), (0.0, " Two.")]
    assert giving.told[3][1] == TranscriptDelta("resp", "item", " Two.", 4_000, 8_000)


async def test_playback_that_runs_dry_goes_on_when_the_next_sound_comes() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(1_000), "One."))
        await asyncio.sleep(5)
        assert giving.answer.played_ms() == 1_000
        await giving.output.send(AudioChunk(tone(2_000), " Two."))
        await asyncio.sleep(0.5)
        assert giving.answer.played_ms() == 1_500
    assert [at for at, _ in giving.sent] == pytest.approx([0.0] * 5 + [5.0] * 7 + [5.1, 5.3, 5.5])


@pytest.mark.parametrize(("pause_s", "gaps"), [(0.9, 0), (1.01, 0), (1.1, 1), (5.0, 1)])
async def test_a_gap_in_the_sound_is_counted_if_it_can_be_heard(pause_s: float, gaps: int) -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(1_000), "One."))
        await asyncio.sleep(pause_s)
        await giving.output.send(AudioChunk(tone(2_000), " Two."))
    giving.answer.finish("completed")
    (done,) = (event for _, event in giving.told if isinstance(event, ResponseDone))
    assert done.gaps == gaps


async def test_a_late_chunk_before_playback_runs_dry_changes_nothing() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(1_000), "One."))
        await asyncio.sleep(0.9)
        await giving.output.send(AudioChunk(tone(2_000), " Two."))
        await asyncio.sleep(0.6)
        assert giving.answer.played_ms() == 1_500
    assert [at for at, _ in giving.sent[5:]] == pytest.approx([0.9] * 7 + [1.1, 1.3, 1.5])


async def test_no_more_was_played_than_has_left_and_nothing_before_the_first_sound() -> None:
    async with given() as giving:
        assert giving.answer.played_ms() == 0.0
        await giving.output.send(TextChunk("Hm"))
        await asyncio.sleep(1)
        assert giving.answer.played_ms() == 0.0
        await giving.output.send(AudioChunk(tone(500), "Hm"))
        await asyncio.sleep(0.2)
        assert giving.answer.played_ms() == pytest.approx(200)
        await asyncio.sleep(9)
        assert giving.answer.played_ms() == 500


async def test_what_the_caller_says_was_played_holds() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(500), "Hm"))
        await asyncio.sleep(9)
        giving.answer.truncate("item", 120.0)
        assert giving.answer.played_ms() == 120.0


async def test_a_spoken_answer_is_told_by_what_is_spoken_and_a_written_one_by_what_is_written() -> None:
    told = []
    for response_options in (ResponseOptions(modality="audio"), ResponseOptions(modality="text")):
        async with given(response_options) as giving:
            await giving.output.send(TextChunk("Two "))
            await giving.output.send(TextChunk("words."))
            await giving.output.send(AudioChunk(b"", "Two words."))
        told.append([text for _, text in giving.words])
        assert giving.answer.text == "Two words."
    assert told == [["Two words."], ["Two ", "words."]]


async def test_what_an_answer_took_is_told_with_its_end() -> None:
    async with given() as giving:
        await giving.output.send(TextChunk("Two ", TokenUsage(90, 0, 80, 1)))
        await giving.output.send(TextChunk("words.", TokenUsage(90, 0, 80, 2)))
        await giving.output.send(TextChunk("", TokenUsage(90, 0, 80, 3)))
        assert giving.output.first_chunks.text == 0.0
    assert giving.done().usage == TokenUsage(prompt=90, cached=80, written=3)
    giving.output.discard()
    assert giving.done().usage == TokenUsage()


async def test_an_answer_opens_with_its_first_word_and_only_once() -> None:
    async with given() as giving:
        await asyncio.sleep(2)
        assert not giving.answer.has_opened
        for word in ("One.", " Two."):
            await giving.output.send(AudioChunk(tone(100), word))
    assert giving.opened == [2.0]


async def test_silence_never_opens() -> None:
    async with given() as giving:
        await asyncio.sleep(2)
        await giving.output.send(TextChunk("", TokenUsage(90, written=1)))
    assert [type(event) for _, event in giving.told] == [ResponseCreated]
    assert giving.opened == []


async def test_nothing_is_told_after_it_is_done() -> None:
    async with given() as giving:
        await giving.output.send(AudioChunk(tone(3_000), "One."))
        await asyncio.sleep(0.5)
        giving.answer.finish("cancelled")
        so_far = len(giving.told)
        await giving.output.send(AudioChunk(tone(3_000), " Two."))
        await asyncio.sleep(2)
    assert len(giving.told) == so_far
    assert giving.answer.text == "One."


async def test_an_answer_that_is_done_before_it_opened_never_opens() -> None:
    async with given() as giving:
        giving.answer.finish("cancelled")
        await giving.output.send(AudioChunk(tone(3_000), "One."))
        await asyncio.sleep(2)
    assert (giving.opened, giving.answer.has_opened) == ([], False)


async def test_a_failure_is_raised_when_all_that_was_made_has_been_told() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        async with given() as giving:
            await giving.output.send(AudioChunk(tone(2_500), "One."))
            giving.output.fail(EngineError("tts", "broken"))
    assert raised.group_contains(EngineError, match="tts: broken")
    assert sum(ms for _, ms in giving.sent) == 2_500
    assert now() == 1.0


async def test_its_moments_are_on_the_loops_clock() -> None:
    await asyncio.sleep(1)
    async with given() as giving:
        giving.output.stage_began("tts")
        await asyncio.sleep(1)
        await giving.output.send(TextChunk("Hm"))
        giving.output.stage_began("tts")
        await asyncio.sleep(1)
        await giving.output.send(AudioChunk(tone(100), "Hm"))
    made = {"tts_began": 1.0, "first_text": 2.0, "first_pcm": 3.0, "first_sent": 3.0}
    assert giving.answer.moments() == {"created": 1.0, "heard": None, **made}


async def test_the_first_sound_brings_what_has_happened_until_then() -> None:
    async with given() as giving:
        giving.output.heard()
        await asyncio.sleep(1)
        giving.output.stage_began("talker")
        await asyncio.sleep(1)
        giving.output.stage_made("talker")
        giving.output.stage_made("talker")
        for _ in range(2):
            await asyncio.sleep(1)
            await giving.output.send(AudioChunk(tone(100), "Hm"))
    told = [event.timings for _, event in giving.told if isinstance(event, AudioDelta)]
    made = {"talker_began": 1.0, "talker_first": 2.0, "first_pcm": 3.0, "first_sent": 3.0}
    assert told == [{"created": 0.0, "heard": 0.0, **made}, None]


async def test_a_cancelled_delivery_leaves_nothing_behind() -> None:
    giving = Given(ResponseOptions())
    giving.output.commit()
    await giving.output.send(AudioChunk(tone(9_000), "One."))
    with nothing_left():
        async with asyncio.TaskGroup() as tasks:
            delivery = tasks.create_task(giving.answer.deliver())
            await asyncio.sleep(1)
            delivery.cancel()


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)
