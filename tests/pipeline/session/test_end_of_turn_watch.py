"""A model that hears whether somebody has finished, in a conversation."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from pipeline.engines.fake import hears
from pipeline.errors import EngineError
from pipeline.speech.vad_frontend import Pcm
from pipeline.types.events.input_events import EndOfTurnJudged, SpeechStopped
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.scenario import Caller, Line

pytestmark = pytest.mark.anyio

SEMANTIC = SessionOptions(
    detection=TurnDetectionOptions(Endpointing(end_ms=700), semantic=True, creates_response=False)
)
SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=700), creates_response=False))
OWN_DETECTION = SessionOptions(partials=True)
FRAME_S = 0.032


@dataclass(slots=True)
class Judge:
    """Finds the same of everything.

    Attributes:
        heard_s: How much sound it was given, each time.
        dropped: How often nobody waited for it any more.
    """

    probability: float | None
    takes_s: float = 0.05
    heard_s: list[float] = field(default_factory=list)
    dropped: int = 0

    async def judge(self, pcm: Pcm) -> float:
        self.heard_s.append(round(len(pcm) / 16_000, 3))
        try:
            await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        if self.probability is None:
            raise EngineError("smart-turn", "it broke")
        return self.probability


async def silence_until_the_end(caller: Caller) -> float:
    """Seconds of silence after which the turn ended."""
    spoken_until = asyncio.get_running_loop().time()
    await caller.is_silent(3)
    return round(caller.when(SpeechStopped)[-1] - spoken_until, 3)


async def ends_after(text: str, judge: Judge | None, options: SessionOptions = SEMANTIC) -> float:
    async with Line(asr=hears(text)).call(options, judge) as caller:
        await caller.says(1)
        return await silence_until_the_end(caller)


async def test_who_sounds_finished_is_answered_sooner_and_who_does_not_later() -> None:
    without = await ends_after("What is the capital of France?", None)
    assert await ends_after("What is the capital of France?", Judge(0.99)) < without - 5 * FRAME_S
    assert await ends_after("Wait, let me", Judge(0.01)) > await ends_after("Wait, let me", None) + 5 * FRAME_S


async def test_a_short_answer_that_the_model_doubts_is_not_late() -> None:
    assert await ends_after("Two.", Judge(0.27)) <= await ends_after("Two.", None)


async def test_without_semantic_detection_nobody_is_judged() -> None:
    judge = Judge(0.01)
    assert await ends_after("Wait, let me", judge, SERVER_VAD) == pytest.approx(0.7, abs=FRAME_S)
    assert judge.heard_s == []


async def test_a_model_that_fails_leaves_the_turn_to_its_words_and_is_no_mistake_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert await ends_after("Wait, let me", Judge(None)) == await ends_after("Wait, let me", None)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_it_hears_the_whole_utterance_with_its_pauses_and_no_more_than_eight_seconds() -> None:
    judge = Judge(0.01)
    async with Line(asr=hears("Wait, let me")).call(SEMANTIC, judge) as caller:
        await caller.is_silent(2)
        await caller.says(1)
        await caller.is_silent(0.5)
        await caller.says(9)
        await caller.is_silent(0.5)
    begun_s = 0.512  # before the first sound
    assert judge.heard_s[0] == pytest.approx(begun_s + 1 + 0.256, abs=4 * FRAME_S)
    assert judge.heard_s[1] == 8.0


async def test_a_pause_that_is_over_is_judged_no_further_and_the_next_one_anew() -> None:
    judge = Judge(0.99, takes_s=0.2)
    async with Line(asr=hears("Wait, let me")).call(replace(SEMANTIC, partials=True), judge) as caller:
        await caller.says(1)
        await caller.is_silent(0.3)
        await caller.says(1)
        assert (judge.dropped, caller.all(EndOfTurnJudged)) == (1, [])
        await caller.is_silent(0.6)
        assert [event.probability for event in caller.all(EndOfTurnJudged)] == [0.99]
    assert len(judge.heard_s) == 2


async def test_what_was_found_of_one_pause_says_nothing_of_the_next() -> None:
    """The second time the model fails: the words alone decide."""
    judge = Judge(0.99)
    async with Line(asr=hears("Wait, let me")).call(SEMANTIC, judge) as caller:
        await caller.says(1)
        await caller.is_silent(0.32)
        judge.probability = None
        await caller.says(1)
        after_s = await silence_until_the_end(caller)
    assert after_s == await ends_after("Wait, let me", None)


async def test_a_client_with_its_own_detection_is_told_of_each_pause() -> None:
    judge = Judge(0.4)
    async with Line().call(OWN_DETECTION, judge) as caller:
        caller.session.activity(True)
        await caller.says(1)
        caller.session.activity(False)
        await caller.is_silent(0.2)
        (told,) = caller.all(EndOfTurnJudged)
        assert told == EndOfTurnJudged(told.item_id, 0.4)
        caller.session.commit()
        assert caller.session.history.find(told.item_id)
