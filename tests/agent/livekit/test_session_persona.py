"""The pipeline's session is what the persona says; what the pipeline does not have is told by name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from livekit.agents import function_tool, llm

from agent.livekit.connection import PipelineEndpoint
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.send_queue import MOST_COMMANDS
from agent.livekit.session import AuraRealtimeSession
from agent.livekit.session_persona import ANSWERED_S
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.changes import PersonaChanges, PersonaRefused
from agent.persona.persona import AURA, Persona, Phrase
from agent.settings.agent import PipelineSettings
from tests.agent.fake_pipeline import FakePipeline
from tests.agent.livekit.test_session import Listener

pytestmark = pytest.mark.anyio

VOICES = ("vivian", "eric")


@asynccontextmanager
async def talking(
    pipeline: FakePipeline, persona: Persona = AURA
) -> AsyncIterator[tuple[AuraRealtimeSession, Listener]]:
    listener = Listener()
    endpoint = PipelineEndpoint(PipelineSettings("http://pipeline", "key"), pipeline.connect)
    model = AuraRealtimeModel(endpoint, PipelineSessionSettings(persona, spoken=True, camera=True), listener)
    session = model.session()
    await asyncio.sleep(0.1)
    yield session, listener
    await model.aclose()


def asked(pipeline: FakePipeline) -> dict[str, Any]:
    """What the session is to be, by the last update."""
    session: dict[str, Any] = pipeline.of("session.update")[-1]["session"]
    return session


async def test_who_the_agent_is_and_what_there_is_to_choose_from_is_told_once_it_holds() -> None:
    async with talking(FakePipeline(voices=VOICES), replace(AURA, voice="eric")) as (_, listener):
        (told,) = listener.personas
    assert told.shown == {
        "name": "Aura",
        "voice": "eric",
        "language": "auto",
        "proactive": True,
        "longest_answer": 0,
        "speaks_first": True,
        "modality": "audio",
    }
    assert told.choices == {"voices": VOICES, "languages": ("en", "fr", "sv"), "voice_languages": ("en", "fr")}
    assert "instructions" not in str(told.shown)


@pytest.mark.parametrize(
    ("persona", "why"),
    [
        (replace(AURA, voice="bass"), "voice: 'bass' is not served; there is: vivian, eric"),
        (replace(AURA, language="tlh"), "language: 'tlh' is not served; there is: en, fr, sv"),
    ],
    ids=["voice", "language"],
)
async def test_what_does_not_exist_is_told_by_name_and_the_call_goes_on_without_it(persona: Persona, why: str) -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline, replace(persona, longest_answer=64)) as (_, listener):
        assert listener.refused == [why]
        assert (listener.personas[-1].voice, listener.personas[-1].persona.language) == ("vivian", "auto")
    assert len(pipeline.of("session.update")) == 2
    assert asked(pipeline)["max_output_tokens"] == 64, "and with all the rest"


async def test_two_things_that_do_not_exist_are_both_told() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline, replace(AURA, voice="bass", language="tlh")) as (_, listener):
        assert [why.split(":")[0] for why in listener.refused] == ["language", "voice"]
        assert len(listener.personas) == 1


async def test_a_change_holds_when_the_pipeline_says_so() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, _):
        await session.conversation.character.configure(replace(AURA, voice="eric", language="fr", longest_answer=9))
        assert (session.conversation.character.in_force.voice, session.conversation.character.persona.language) == (
            "eric",
            "fr",
        )
    assert not {"aura", "output_modalities"} & asked(pipeline).keys(), "nothing else is changed"
    assert asked(pipeline)["audio"]["output"]["language"] == "fr"
    assert asked(pipeline)["audio"]["input"]["transcription"] == {"language": "fr"}
    assert asked(pipeline)["max_output_tokens"] == 9


async def test_answers_are_written_from_the_first_or_from_now_on() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline, replace(AURA, modality="text")) as (session, _):
        assert asked(pipeline)["output_modalities"] == ["text"]
        await session.conversation.character.configure(AURA)
        assert asked(pipeline)["output_modalities"] == ["audio"]
        await session.conversation.character.configure(replace(AURA, voice="eric"))
        assert "output_modalities" not in asked(pipeline)


async def test_a_change_that_is_refused_changes_nothing() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, listener):
        with pytest.raises(PersonaRefused, match="voice: 'bass' is not served; there is: vivian, eric"):
            await session.conversation.character.configure(replace(AURA, voice="bass"))
        assert session.conversation.character.persona == AURA
        assert listener.refused == [], "whoever asked is told, and nobody else"
        pipeline.break_off()
        await asyncio.sleep(1)
        assert listener.refused == []
    assert asked(pipeline)["audio"]["output"]["voice"] == "vivian"


async def test_a_language_that_is_understood_and_not_spoken_is_only_understood() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline, replace(AURA, language="sv")) as (_, listener):
        assert listener.refused == []
    assert asked(pipeline)["audio"]["input"]["transcription"] == {"language": "sv"}
    assert asked(pipeline)["audio"]["output"]["language"] == ""


async def test_the_model_is_told_what_its_voice_speaks() -> None:
    pipeline = FakePipeline(voices=VOICES, voice_languages=("en",))
    async with talking(pipeline):
        pass
    assert asked(pipeline)["instructions"].endswith(
        "You speak only English; to whoever wants another language, say so in English."
    )


async def test_while_the_line_is_down_a_change_is_noted_and_asked_for_when_it_is_up() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, listener):
        pipeline.break_off()
        await asyncio.sleep(0.01)
        await session.conversation.character.configure(replace(AURA, voice="eric"))
        await asyncio.sleep(1)
        assert listener.personas[-1].voice == "eric"


async def test_a_change_of_which_nobody_knows_the_end_is_refused() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, _):
        pipeline.slow_s = 2 * ANSWERED_S
        began = asyncio.get_running_loop().time()
        with pytest.raises(PersonaRefused, match="does not answer just now"):
            await session.conversation.character.configure(replace(AURA, voice="eric"))
        assert asyncio.get_running_loop().time() - began == pytest.approx(ANSWERED_S)
        assert session.conversation.character.persona == AURA


async def test_a_line_that_breaks_in_a_change_refuses_it() -> None:
    pipeline = FakePipeline(voices=VOICES, slow_s=1)
    async with talking(pipeline) as (session, _):
        await asyncio.sleep(2)
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_later(0.5, pipeline.break_off)
        with pytest.raises(PersonaRefused, match="does not answer just now"):
            await session.conversation.character.configure(PersonaChanges({"voice": "eric"}).applied(AURA))
        assert loop.time() - began == pytest.approx(0.5)


def voices(pipeline: FakePipeline) -> list[str]:
    """The voice that each update asks for."""
    return [event["session"]["audio"]["output"]["voice"] for event in pipeline.of("session.update")]


async def test_a_change_that_was_given_up_is_not_done_later() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, listener):
        pipeline.slow_s = 2 * ANSWERED_S
        with pytest.raises(PersonaRefused):
            await session.conversation.character.configure(replace(AURA, voice="eric"))
        pipeline.slow_s = 0
        await asyncio.sleep(3 * ANSWERED_S)
        assert (voices(pipeline)[-1], listener.personas[-1].voice) == ("vivian", "vivian")
        await session.conversation.character.configure(replace(AURA, voice="eric"))
        assert listener.personas[-1].voice == "eric"


async def test_a_change_that_never_left_is_not_done_on_the_next_line() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, listener):
        assert pipeline.socket
        pipeline.socket.stalled = True
        asyncio.get_running_loop().call_later(0.5, pipeline.break_off)
        with pytest.raises(PersonaRefused, match="does not answer just now"):
            await session.conversation.character.configure(replace(AURA, voice="eric"))
        await asyncio.sleep(1)
        assert voices(pipeline) == ["vivian", "vivian"]
        assert listener.personas[-1].voice == "vivian"


async def test_a_change_for_which_there_is_no_room_leaves_the_next_one_its_answer() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, _):
        for _ in range(MOST_COMMANDS):
            session.conversation.truncate("nothing", 0, "")
        with pytest.raises(PersonaRefused, match="does not answer just now"):
            await session.conversation.character.configure(replace(AURA, voice="eric"))
        await asyncio.sleep(0.1)
        await session.conversation.character.configure(replace(AURA, voice="eric"))


async def test_what_is_said_as_it_is_is_said_in_its_language_if_the_voice_has_it() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with talking(pipeline) as (session, _):
        for phrase in (Phrase("Bonjour.", "fr"), Phrase("Hej.", "sv"), Phrase("Hm.")):
            await session.say(session.conversation.character.note(phrase))
            session.interrupt()
            await asyncio.sleep(0.1)
    asked = [event["response"] for event in pipeline.of("response.create")]
    assert [each["metadata"]["say"] for each in asked] == ["Bonjour.", "Hej.", "Hm."]
    assert [each.get("audio") for each in asked] == [{"output": {"language": "fr"}}, None, None]


async def test_a_tool_that_the_pipeline_refuses_is_offered_no_more_and_the_others_are() -> None:
    def tool(name: str) -> llm.Tool:
        async def run(raw_arguments: dict[str, object]) -> str:
            return ""

        return function_tool(run, raw_schema={"name": name, "parameters": {"type": "object"}})

    pipeline = FakePipeline(voices=VOICES, tools=True)
    async with talking(pipeline) as (session, _):
        await session.update_tools([tool("one"), tool("two")])
        await asyncio.sleep(0.1)
        assert [each["name"] for each in asked(pipeline)["tools"]] == ["one", "two"]
        event_id = pipeline.of("session.update")[-1]["event_id"]
        error = {"code": "invalid_value", "param": "session.tools[0].parameters", "message": "no", "event_id": event_id}
        session.conversation.character._waiting[event_id] = None
        refused = session.conversation.character.refused(error)
        await asyncio.sleep(0.1)
        assert refused and [each["name"] for each in asked(pipeline)["tools"]] == ["two"]
