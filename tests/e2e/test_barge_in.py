"""Somebody speaks while the agent does: it stops for a question, and goes on for an "mhm"."""

from collections.abc import Callable

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, Person, joined
from tests.e2e.observed import Observed
from tests.e2e.recogniser import Recogniser, numbers_in

pytestmark = pytest.mark.anyio

COUNT = "Please count to forty."
SPOKEN_S = 3.0  # of the count, before somebody speaks over it; forty numbers take longer by far
LISTENS = "Okay, I see."  # of this voice's "mhm" the recogniser makes "mom"
STOP_S = 10.0  # bounds a wait; the count goes on for longer. Half a second, where nothing else runs


async def begin_to_count(person: Person, voice: PersonVoice) -> float:
    """Ask for the count, and return when some of it has been heard: the moment at which it began."""
    _, ended = person.say(voice.say(COUNT))
    asked = await ended
    await person.diary.until(lambda: person.heard.loud_s(asked) > SPOKEN_S, ANSWER_S, "some of the count")
    return asked


def told_once(text: str) -> set[int]:
    """The numbers of a count: of one that breaks off in mid-word, ears that guess may hear a dozen."""
    return set(numbers_in(text))


async def test_a_question_over_the_answer_stops_it_and_only_what_was_heard_of_it_is_remembered(
    observed: Observed, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    async with joined("Ben", observed.grant(a_room(), "ben")) as ben:
        await ben.greeted()
        asked = await begin_to_count(ben, voice)
        began, ended = ben.say(voice.say("Wait a moment. What is the capital of Italy?"))
        onset = await began
        await ben.diary.until(lambda: not ben.heard.sounds, STOP_S, "silence")
        stopped = ben.heard.stretches[-1].ended
        await observed.until(
            lambda: observed.wire("client", "response.cancel", since=onset), STOP_S, "the answer is cancelled"
        )
        await observed.until(
            lambda: "cancelled" in [e.what["response"]["status"] for e in observed.wire("server", "response.done")],
            STOP_S,
            "it ends as cancelled",
        )

        question_over = await ended
        await ben.answered(question_over)
        assert "Rome" in ears.understand(ben.heard.since(question_over))
        await observed.idle(STOP_S)  # not before: on a busy machine the question comes with what stops the answer

        counted = told_once(ears.understand(ben.heard.since(asked)[: int((stopped - asked + 0.5) * 24_000)]))
        remembered = [text for role, text in observed.prompts("aura", since=onset)[-1].what["prompt"]]
        count_at = next((at for at, text in enumerate(remembered) if "to 40" in text or "to forty" in text), None)
        assert count_at is not None, remembered
        kept = told_once(remembered[count_at + 1])
        assert abs(len(kept) - len(counted)) <= 3, f"heard {counted}, remembered {kept}"
        assert 0 < len(kept) < 35


async def test_a_sign_of_listening_does_not_end_the_answer(
    observed: Observed, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    async with joined("Cid", observed.grant(a_room(), "cid")) as cid:
        await cid.greeted()
        await begin_to_count(cid, voice)
        began, _ = cid.say(voice.say(LISTENS))
        onset = await began
        await cid.diary.until(
            lambda: any('"backchannel"' in decision for decision in cid.told("aura.decision")), ANSWER_S, "a decision"
        )
        await cid.diary.until(
            lambda: cid.heard.stretches[-1].ended > onset + 4 and cid.heard.sounds, ANSWER_S, "the count going on"
        )
        assert not observed.wire("client", "response.cancel", since=onset)
        assert not observed.wire("client", "input_audio_buffer.commit", since=onset)
