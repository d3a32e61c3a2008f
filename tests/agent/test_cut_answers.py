"""An answer that is cut says by what: by speech, by a line that is typed, because its person leaves."""

from typing import Any

import msgspec
import pytest

from agent.persona.changes import PersonaChanges
from tests.agent.talking.begin import talking
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio


def decided(call: Conversation) -> list[tuple[str, str]]:
    decisions: list[dict[str, Any]] = [msgspec.json.decode(value) for _, value in call.notes.of("aura.decision")]
    return [(each["what"], each["reason"]) for each in decisions if each["what"] in ("interrupted", "unanswered")]


async def test_who_types_over_an_answer_has_cut_it() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await call.writes("What is the capital of France?")
        await call.hears("The capital is Paris.")
        assert decided(call) == [("interrupted", "typed")]


async def test_who_types_while_nothing_is_said_has_cut_nothing() -> None:
    async with talking() as call:
        await call.writes("What is the capital of France?")
        await call.hears("The capital is Paris.")
        assert decided(call) == []


@pytest.mark.parametrize("by", ["typing", "speech"])
async def test_an_answer_that_is_written_can_be_cut_too(by: str) -> None:
    async with talking(Engines(word_s=0.2)) as call:
        call.reads = True
        await call.call.character.become(PersonaChanges({"modality": "text"}))
        await call.writes("Tell me a story.")
        await call.pauses(3)
        if by == "typing":
            await call.writes("What is the capital of France?")
        else:
            await call.says("What is the capital of France?")
        await call.hears_out()
        assert decided(call) == [("interrupted", "typed" if by == "typing" else "speech")]
        assert call.history[-1] == ("assistant", "The capital is Paris.")


async def test_who_leaves_during_an_answer_has_cut_it() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        call.call.hang_up()
        await call.pauses(5)
        assert decided(call) == [("interrupted", "left")]


async def test_who_leaves_before_an_answer_is_told_that_there_was_none() -> None:
    async with talking(Engines(first_s=3.0)) as call:
        await call.says("Tell me a story.")
        await call.pauses(1.5)
        call.call.hang_up()
        await call.pauses(5)
        assert decided(call) == [("unanswered", "left")]
        call.call.pick_up()
        await call.pauses(2)
        assert call.history == [("user", "Tell me a story.")], "it can still be answered"
        await call.writes("Well?")
        await call.hears("Part 1")


async def test_who_leaves_in_silence_leaves_nothing_open() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears_out()
        call.call.hang_up()
        await call.pauses(5)
        assert decided(call) == []
