"""The agent speaks of its own accord in a room, of what a camera shows."""

import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, CAPTION_S, Person, joined
from tests.e2e.remarking import Remarking, remarking_agent
from tests.e2e.stack import Stack
from tests.watcher import ANSWER

pytestmark = pytest.mark.anyio

WAVED = "Somebody waved at the camera."
WORD_S = 0.3  # of the scripted voice
NOTICED_S = 15.0  # until what is worth a remark has been seen and said
STOP_S = 5.0


@pytest.fixture(scope="module")
async def remarking(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Remarking]:
    async with remarking_agent(stack, tmp_path_factory.mktemp("remarking")) as agent:
        yield agent


def decisions(person: Person, what: str) -> list[dict[str, Any]]:
    told = (json.loads(decision) for decision in person.told("aura.decision"))
    return [decision for decision in told if decision["what"] == what]


async def heard_out(person: Person, since: float) -> float:
    """Return when it was quiet again after that moment: the seconds of sound since then."""

    def over() -> bool:
        return bool(person.heard.stretches) and person.heard.stretches[-1].began > since and not person.heard.sounds

    await person.diary.until(over, NOTICED_S, "something that was heard to its end")
    return person.heard.loud_s(since)


async def test_what_is_worth_a_remark_is_heard_once_captioned_and_told_until_nobody_wants_it(
    remarking: Remarking, a_room: Callable[[], str]
) -> None:
    async with joined("Una", remarking.grant(a_room(), "una"), camera=True) as una:
        await una.greeted()
        quiet = una.heard.stretches[-1].ended
        remarking.line.remarks.append(WAVED)
        assert await heard_out(una, quiet) == pytest.approx(WORD_S * len(WAVED.split()), abs=0.3)
        remarking.line.remarks.append(WAVED)
        await una.diary.until(lambda: decisions(una, "offer_dropped"), NOTICED_S, "that it is not said again")
        (spoke,), (dropped,) = decisions(una, "spoke_up"), decisions(una, "offer_dropped")
        assert (spoke["text"], dropped["reason"]) == (WAVED, "repeated")
        assert spoke["figures"]["age_ms"] < 1_500
        await una.diary.until(lambda: una.said("agent")[-1].strip() == WAVED, CAPTION_S, "its caption")
        assert una.told("aura.timings") == []
        assert len([stretch for stretch in una.heard.stretches if stretch.began > quiet]) == 1

        said = una.heard.stretches[-1].ended
        await una.type("Only speak when I ask.")
        await una.diary.until(lambda: decisions(una, "proactive"), ANSWER_S, "that it will be quiet")
        await una.answered(said)
        considered = len(remarking.line.writer.prompts)
        remarking.line.remarks.append("The cup fell.")
        await una.diary.until(lambda: len(remarking.line.writer.prompts) > considered + 3, NOTICED_S, "it looks")
        assert remarking.line.remarks == ["The cup fell."], "it has not even been asked for one"
        remarking.line.remarks.clear()


async def test_who_speaks_over_a_remark_interrupts_it_and_is_answered(
    remarking: Remarking, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    remark = " ".join(f"number{n}" for n in range(40)) + "."
    async with joined("Vic", remarking.grant(a_room(), "vic"), camera=True) as vic:
        await vic.greeted()
        quiet = vic.heard.stretches[-1].ended
        remarking.line.remarks.append(remark)
        await vic.diary.until(lambda: vic.heard.loud_s(quiet) > 1.5, NOTICED_S, "some of the remark")
        began, ended = vic.say(voice.say("Wait a moment. What is that?"))
        await began
        await vic.diary.until(lambda: not vic.heard.sounds, STOP_S, "silence")
        await vic.diary.until(lambda: decisions(vic, "interrupted"), STOP_S, "why")
        await vic.diary.until(lambda: not remarking.line.busy, STOP_S, "engines that rest")
        heard = vic.heard.loud_s(quiet) / WORD_S
        await vic.answered(await ended)
        await vic.diary.until(lambda: vic.said("agent")[-1].strip() == ANSWER, CAPTION_S, "the answer's caption")
        kept = sum(f"number{n}" in remarking.line.remembered() for n in range(40))
        assert 0 < kept < 40
        assert abs(kept - heard) <= 4, f"heard {heard:.1f} words, remembered {kept}"
