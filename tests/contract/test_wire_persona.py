"""The persona on the real wire: what the pipeline has is taken, what it does not have is refused by name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from agent.livekit.connection import PipelineEndpoint
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.session import AuraRealtimeSession
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.changes import PersonaRefused
from agent.persona.persona import AURA, Persona, Phrase
from agent.settings.agent import PipelineSettings
from tests.agent.livekit.test_session import Listener
from tests.contract.wire_wait import eventually
from tests.served import KEY, Served, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]


@asynccontextmanager
async def talking(pipeline: Served, persona: Persona) -> AsyncIterator[tuple[AuraRealtimeSession, Listener]]:
    listener = Listener()
    endpoint = PipelineEndpoint(PipelineSettings(pipeline.url, KEY))
    model = AuraRealtimeModel(endpoint, PipelineSessionSettings(persona, spoken=True, camera=True), listener)
    try:
        session = model.session()
        await eventually(partial(bool, listener.personas))
        yield session, listener
    finally:
        await model.aclose()


async def test_the_agent_knows_what_there_is_and_which_voice_speaks() -> None:
    async with served() as pipeline, talking(pipeline, AURA) as (_, listener):
        in_force = listener.personas[-1]
        assert in_force.voice == "tenor"
        assert (in_force.there.voices, in_force.there.languages) == (("tenor", "alto"), ("en", "fr"))
        assert in_force.there.voice_languages == ("en", "fr")


@pytest.mark.parametrize(
    ("persona", "refused"),
    [
        (replace(AURA, voice="tenour"), "voice: 'tenour' is not served; did you mean 'tenor'? there is: tenor, alto"),
        (replace(AURA, language="tlh"), "language: 'tlh' is not served; there is: en, fr"),
        (replace(AURA, context="x" * 90), "context: "),
        (replace(AURA, instructions="x" * 5_000), "instructions: "),
    ],
    ids=["voice", "language", "context", "instructions"],
)
async def test_what_does_not_exist_is_refused_by_name_and_the_rest_holds(persona: Persona, refused: str) -> None:
    async with served() as pipeline, talking(pipeline, replace(persona, longest_answer=5)) as (session, listener):
        assert [why[: len(refused)] for why in listener.refused] == [refused]
        assert (listener.personas[-1].persona.longest_answer, listener.personas[-1].voice) == (5, "tenor")
        await session.say("Hello.")
        await eventually(partial(bool, pipeline.line.tts.prompts))


async def test_who_it_is_can_be_changed_in_mid_call() -> None:
    async with served() as pipeline, talking(pipeline, AURA) as (session, _):
        await session.conversation.character.configure(replace(AURA, voice="alto", language="fr"))
        assert session.conversation.character.in_force.voice == "alto"
        await session.say(session.conversation.character.note(Phrase("Bonjour.", "fr")))
        await eventually(partial(bool, pipeline.line.tts.prompts))
        assert pipeline.line.tts.prompts[-1].voice == "alto"
        with pytest.raises(PersonaRefused, match="voice: 'bass' is not served"):
            await session.conversation.character.configure(replace(AURA, voice="bass"))
        assert session.conversation.character.in_force.voice == "alto"
