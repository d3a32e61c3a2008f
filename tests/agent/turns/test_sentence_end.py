"""Whether what was said ends a sentence, and when that is known."""

import asyncio
from dataclasses import replace

import pytest

from agent.turns.sentence_end import SentenceEnd
from agent.turns.turn_events import Onset, PartialHeard, Pause

pytestmark = pytest.mark.anyio
BEGINS = Onset(audible=False, answering=False)


def partial(text: str, *, settled: bool = True) -> PartialHeard:
    return PartialHeard("item_1", text, "speech", 900, settled)


async def test_it_is_known_as_soon_as_all_that_was_said_is() -> None:
    words = SentenceEnd()
    for event in (BEGINS, partial("What is the", settled=False), Pause()):
        words.feed(event)
    loop = asyncio.get_running_loop()
    loop.call_later(0.1, words.feed, partial("What is the capital?"))
    assert await words.over(loop.time() + 0.5) is True
    assert loop.time() == pytest.approx(0.1)


async def test_a_recogniser_that_was_never_seen_to_write_a_mark_tells_nothing() -> None:
    words, now = SentenceEnd(), asyncio.get_running_loop().time()
    for event in (BEGINS, Pause(), partial("the the the")):
        words.feed(event)
    assert await words.over(now + 0.5) is None
    for event in (BEGINS, partial("Stop.", settled=False), Pause(), partial("the the the")):
        words.feed(event)
    assert await words.over(now + 0.5) is False


async def test_how_likely_a_mark_is_is_told_of_what_is_settled_by_a_recogniser_that_writes_some() -> None:
    words = SentenceEnd()
    told = [replace(partial(text), sentence_end=0.4) for text in ("the the the", "Stop now, please.")]
    for event, known in ((BEGINS, None), (told[0], None), (told[1], 0.4), (Pause(), None)):
        words.feed(event)
        assert words.probability == known
    words.feed(replace(told[1], settled=False))
    assert words.probability is None
    words.feed(partial("Stop now, please."))
    assert words.probability is None, "it does not tell"


async def test_words_are_judged_in_the_language_that_was_heard() -> None:
    words, now = SentenceEnd(), asyncio.get_running_loop().time()
    for language, over in (("de", True), ("en", False)):
        for event in (BEGINS, partial("Stop.", settled=False), Pause()):
            words.feed(event)
        words.feed(PartialHeard("item_1", "Dreh dich um.", "speech", 900, settled=True, language=language))
        assert await words.over(now + 0.5) is over


async def test_what_is_not_known_in_time_is_not_waited_for() -> None:
    words, loop = SentenceEnd(), asyncio.get_running_loop()
    for event in (BEGINS, Pause(), partial("What is it?"), BEGINS, Pause()):
        words.feed(event)
    assert await words.over(loop.time() + 0.5) is None  # of what was said since, nothing is known
    assert loop.time() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "over"), [("Two", None), ("Half past", None), ("Two.", True), ("Uh", False), ("Red,", False), ("I", False)]
)
async def test_a_word_or_two_without_a_mark_may_be_all_of_an_answer(text: str, over: bool | None) -> None:
    words, now = SentenceEnd(), asyncio.get_running_loop().time()
    for event in (BEGINS, partial("Stop.", settled=False), Pause(), partial(text)):
        words.feed(event)
    assert await words.over(now + 0.5) is over


async def test_that_it_writes_marks_is_also_seen_behind_words_that_end_no_sentence() -> None:
    words, now = SentenceEnd(), asyncio.get_running_loop().time()
    for event in (BEGINS, partial("Well, um.", settled=False), Pause(), partial("What is the")):
        words.feed(event)
    assert await words.over(now + 0.5) is False


async def test_what_is_still_to_come_is_told_in_the_language_that_was_heard() -> None:
    words = SentenceEnd()
    for language, text, more in (("en", "This is an.", "words"), ("de", "Licht an.", None), ("fr", "Attends.", "hold")):
        words.feed(PartialHeard("item_1", text, "speech", 900, settled=True, language=language))
        assert words.unfinished == more


async def test_a_word_or_two_are_short() -> None:
    words = SentenceEnd()
    for text, short in (("Half past.", True), ("Tell me a story.", False), ("Two.", True)):
        words.feed(partial(text))
        assert words.is_short is short
