"""Speech becomes writing in mid-call, and writing speech: nothing that somebody waits for is lost."""

import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from agent.persona.changes import PersonaChanges
from agent.persona.greetings import GREETINGS
from tests.agent.talking.begin import talking
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.engines import STORY, Engines

pytestmark = pytest.mark.anyio


async def becomes(call: Conversation, **changes: object) -> Mapping[str, object]:
    call.reads = call.reads or "modality" in changes
    return await call.call.character.become(PersonaChanges(changes))


def written(call: Conversation) -> list[str | None]:
    """What the agent has said and written, as LiveKit keeps it."""
    return [
        item.text_content
        for item in call.call.session.history.items
        if item.type == "message" and item.role == "assistant"
    ]


async def test_an_answer_that_is_spoken_is_given_anew_in_writing() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await becomes(call, modality="text")
        await call.hears_out()
        heard = call.heard
        assert "Part 2" in heard and "Part 8" not in heard
        assert call.history == [("user", "Tell me a story."), ("assistant", STORY)]
        assert written(call)[-1] == STORY
        decided = [msgspec.json.decode(value) for _, value in call.notes.of("aura.decision")]
        assert ("interrupted", "modality") in [(each["what"], each["reason"]) for each in decided]


async def test_an_answer_that_has_not_begun_is_written() -> None:
    async with talking(Engines(first_s=3.0)) as call:
        await call.says("Tell me a story.")
        await call.pauses(1.5)
        await becomes(call, modality="text")
        await call.hears_out()
        assert (call.heard, written(call)) == ("", [STORY])
        assert "interrupted" not in call.decisions


async def test_the_last_words_of_an_answer_are_not_lost() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 8")
        await becomes(call, modality="text")
        await call.hears_out()
        assert written(call)[-1] == STORY


async def test_an_answer_that_is_written_is_given_anew_aloud() -> None:
    async with talking(Engines(word_s=0.2)) as call:
        await becomes(call, modality="text")
        await call.says("Tell me a story.")
        await call.pauses(4)
        await becomes(call, modality="audio")
        await call.hears_out()
        assert call.heard == STORY
        assert call.history == [("user", "Tell me a story."), ("assistant", STORY)]


async def test_a_question_that_was_just_written_is_answered() -> None:
    async with talking() as call:
        await call.writes("What is the capital of France?")
        await asyncio.sleep(0)
        await becomes(call, modality="text")
        await call.hears_out()
        assert written(call) == ["The capital is Paris."]


async def test_an_answer_without_sound_is_shown_as_writing_while_it_is_written() -> None:
    async with talking(Engines(first_s=1.0, word_s=0.1)) as call:
        await becomes(call, modality="text")
        await call.writes("What is the capital of France?")
        await call.hears_out()
        states = [(at, state) for at, state in call.notes.of("aura.state")]
        (thought, _), (began, _), (ended, _) = states[-3:]
        assert [state for _, state in states[-3:]] == ["thinking", "writing", "listening"]
        assert began - thought == pytest.approx(1.0, abs=0.1) and ended - began == pytest.approx(0.4, abs=0.2)


async def test_there_and_back_again_loses_nothing() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        for modality in ("text", "audio") * 3:
            await becomes(call, modality=modality)
        await call.hears_out()
        assert call.heard.endswith(STORY)


async def test_a_greeting_is_given_anew_too() -> None:
    async with talking(greet=True) as call:
        await call.pauses(0.2)
        await becomes(call, modality="text")
        await call.hears_out()
        assert written(call)[-1] == GREETINGS["en"]


async def test_a_change_that_is_refused_loses_no_answer() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        with pytest.raises(Exception, match="voice"):
            await becomes(call, modality="text", voice="bass")
        await call.hears_out()
        assert call.heard.endswith(STORY)


@pytest.mark.parametrize("changes", [{"name": "Nova"}, {"longest_answer": 200}, {"instructions": "You are Nova."}])
async def test_another_change_leaves_an_answer_as_it_is(changes: dict[str, object]) -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await becomes(call, **changes)
        await call.hears_out()
        assert call.heard == STORY
        await call.says("What is the capital of France?")
        await becomes(call, **changes)
        await call.hears("The capital is Paris.")


async def test_nothing_is_asked_anew_where_nothing_is_under_way() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears_out()
        await becomes(call, modality="text")
        await asyncio.sleep(5)
        assert written(call) == ["The capital is Paris."]
