"""Who answers a call: how they greet, what they show of themselves, and what they are changed to. On virtual time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.persona.catalogue import PersonaCatalogue
from agent.persona.changes import PersonaChanges, PersonaRefused, Refusal
from agent.persona.greetings import APOLOGIES, GREETINGS
from agent.persona.persona import AURA, Persona
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from agent.turns.turn_events import PartialHeard
from pipeline.realtime.client import Unreachable
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Says

pytestmark = pytest.mark.anyio

VOICES = ("vivian", "eric")


@asynccontextmanager
async def calling(
    pipeline: FakePipeline,
    persona: Persona = AURA,
    languages: str = "",
    recalled: FailoverMetadata | None = None,
    catalogue: PersonaCatalogue | None = None,
) -> AsyncIterator[tuple[Call, Notes]]:
    notes, settings = Notes(), PipelineSettings("http://pipeline", "key")
    call = Call(
        settings,
        persona,
        TURNS["console"],
        notes,
        spoken=False,
        connect=pipeline.connect,
        recalled=recalled,
        catalogue=catalogue,
    )
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        await call.start(greet=False)
        call.character.meet(languages)
        call.character.greet()
        await asyncio.sleep(2)
        yield call, notes
        await call.aclose()
        playing.cancel()


def said(pipeline: FakePipeline) -> list[tuple[str, str]]:
    """What was to be said as it is, and in which language."""
    asked = [event["response"] for event in pipeline.of("response.create")]
    return [
        (each["metadata"]["say"], each.get("audio", {"output": {}})["output"].get("language", "")) for each in asked
    ]


def audible(call: Call) -> bool:
    return call.publisher.signals.audible


def written(call: Call) -> list[str | None]:
    """What the agent has said, as LiveKit keeps it."""
    return [item.text_content for item in call.session.history.items if item.type == "message"]


def shown(notes: Notes, name: str) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(notes.of(name)[-1][1])
    return value


@pytest.mark.parametrize(("languages", "code"), [("fr-FR,en", "fr"), ("sv,de", "en"), ("", "en")])
async def test_somebody_is_greeted_in_the_first_of_their_languages_that_the_voice_speaks(
    languages: str, code: str
) -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline, languages=languages):
        assert said(pipeline) == [(GREETINGS[code], code)]


async def test_the_greeting_waits_until_it_is_known_what_the_voice_speaks() -> None:
    pipeline = FakePipeline(voices=VOICES, refusals=[Unreachable("not yet")])
    async with calling(pipeline, languages="de,fr"):
        assert said(pipeline) == [(GREETINGS["fr"], "fr")]


async def test_who_takes_over_a_call_apologises_in_the_persons_language() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline, languages="fr", recalled=FailoverMetadata("token")):
        assert said(pipeline) == [(APOLOGIES["fr"], "fr")]


async def test_an_answer_that_breaks_off_is_apologised_for_in_the_language_that_was_heard() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline) as (call, _):
        call.on_partial(PartialHeard("item", "Bonjour", "speech", 1_000, True, "fr"))
        call.on_broken_answer()
        await asyncio.sleep(2)
        assert said(pipeline)[-1] == (APOLOGIES["fr"], "fr")


async def test_the_greeting_waits_for_the_line_and_no_longer() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline):
        (at, _), *_ = [each for each in pipeline.received if each[1]["type"] == "response.create"]
        (up, _), *_ = [each for each in pipeline.received if each[1]["type"] == "session.update"]
        assert at == pytest.approx(up)


async def test_the_room_is_shown_who_is_there_and_what_there_is_to_choose_from() -> None:
    async with calling(FakePipeline(voices=VOICES)) as (_, notes):
        assert shown(notes, "aura.persona") == {
            "name": "Aura",
            "voice": "vivian",
            "language": "auto",
            "proactive": False,  # it sees nothing here
            "longest_answer": 0,
            "speaks_first": True,
            "modality": "audio",
        }
        assert shown(notes, "aura.choices") == {
            "voices": ["vivian", "eric"],
            "languages": ["en", "fr", "sv"],
            "voice_languages": ["en", "fr"],
        }


async def test_another_persona_is_chosen_in_mid_call_and_the_room_is_shown_whom_there_is_to_choose() -> None:
    nova = PersonaChanges({"name": "Nova", "voice": "eric", "instructions": "You are Nova."}).applied(AURA)
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline, catalogue=PersonaCatalogue((AURA, nova))) as (call, notes):
        assert shown(notes, "aura.choices")["personas"] == ["Aura", "Nova"]
        now = await call.character.become(PersonaChanges({"persona": "Nova"}))
        assert (now["name"], now["voice"]) == ("Nova", "eric")
        told = pipeline.of("session.update")[-1]["session"]
        assert told["instructions"].startswith("You are Nova.")
        with pytest.raises(PersonaRefused, match="persona: `Eve` is not offered; there is: Aura, Nova"):
            await call.character.become(PersonaChanges({"persona": "Eve"}))
        assert call.character.now.name == "Nova"


async def test_a_change_in_mid_call_is_shown_and_answered_with_what_holds() -> None:
    async with calling(FakePipeline(voices=VOICES)) as (call, notes):
        now = await call.character.become(PersonaChanges({"voice": "eric", "name": "Nova", "proactive": False}))
        assert (now["voice"], now["name"]) == ("eric", "Nova")
        await asyncio.sleep(0.1)
        assert shown(notes, "aura.persona") == dict(now)
        before = len(notes.of("aura.persona"))
        await call.character.become(PersonaChanges({"voice": "eric"}))
        await asyncio.sleep(0.1)
        assert len(notes.of("aura.persona")) == before, "what is shown already is not shown again"


async def test_who_is_to_be_silent_first_waits_for_the_person_and_apologises_all_the_same() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline, replace(AURA, speaks_first=False)) as (call, _):
        assert said(pipeline) == []
        call.character.apologise()
        await asyncio.sleep(0.1)
        assert said(pipeline) == [(APOLOGIES["en"], "en")]


async def test_a_voice_is_heard_when_nothing_else_is() -> None:
    pipeline = FakePipeline(voices=VOICES)
    async with calling(pipeline, replace(AURA, speaks_first=False)) as (call, _):
        call.character.sample()
        await asyncio.sleep(0.1)
        assert said(pipeline) == [(GREETINGS["en"], "en")]
        with pytest.raises(PersonaRefused, match="voice: it speaks already, or is about to"):
            call.character.sample()
        await asyncio.sleep(3)
        await call.character.become(PersonaChanges({"greeting": ""}))
        with pytest.raises(PersonaRefused, match="greeting: there is none"):
            call.character.sample()
        await call.character.become(PersonaChanges({"modality": "text"}))
        with pytest.raises(PersonaRefused, match="modality: answers are written"):
            call.character.sample()


async def test_answers_that_are_only_written_break_off_what_is_spoken_and_make_no_sound() -> None:
    says = [Says(), Says(), Says((("In ink.", 1.0),)), Says((("Aloud.", 1.0),))]  # of greetings they say nothing
    pipeline = FakePipeline(voices=VOICES, says=says, greeting_s=5.0)
    async with calling(pipeline) as (call, notes):
        assert audible(call)
        await call.character.become(PersonaChanges({"modality": "text"}))
        await asyncio.sleep(0.5)
        assert not audible(call)
        before = len(notes.shown)
        await call.write("Well?")
        assert written(call)[-1] == "In ink."
        assert "speaking" not in [attributes.get("aura.state") for _, attributes in notes.shown[before:]]
        await call.character.become(PersonaChanges({"modality": "audio"}))
        await call.write("And now?")
        assert written(call)[-1] == "Aloud."
        assert "speaking" in [attributes.get("aura.state") for _, attributes in notes.shown[before:]]


async def test_a_change_that_is_refused_leaves_all_as_it_was() -> None:
    async with calling(FakePipeline(voices=VOICES)) as (call, notes):
        with pytest.raises(PersonaRefused, match="voice: 'bass' is not served"):
            await call.character.become(PersonaChanges({"voice": "bass", "name": "Nova"}))
        assert call.character.now == AURA
        await asyncio.sleep(0.1)
        assert shown(notes, "aura.persona")["voice"] == "vivian"


async def test_a_voice_of_the_persona_file_that_does_not_exist_is_shown_as_a_decision() -> None:
    async with calling(FakePipeline(voices=VOICES), PersonaChanges({"voice": "bass"}).applied(AURA)) as (call, notes):
        decisions = [msgspec.json.decode(value) for _, value in notes.of("aura.decision")]
        told = [decision["text"] for decision in decisions if decision["what"] == "refused"]
        assert told == ["voice: 'bass' is not served; there is: vivian, eric"]
        assert shown(notes, "aura.persona")["voice"] == "vivian"
        call.character.refuse(Refusal("x", "y" * 100_000))
        await asyncio.sleep(0.1)
        assert len(shown(notes, "aura.decision")["text"]) == 300


async def test_who_says_nothing_of_their_languages_is_greeted_in_english_whatever_else_the_voice_speaks() -> None:
    pipeline = FakePipeline(voices=VOICES, voice_languages=("de", "en"))
    async with calling(pipeline):
        ((text, language),) = said(pipeline)
    assert text.startswith("Hello") and language == "en"


async def test_who_named_a_language_that_the_voice_does_not_speak_is_greeted_in_one_that_it_does() -> None:
    pipeline = FakePipeline(voices=VOICES, voice_languages=("en",))
    async with calling(pipeline, replace(AURA, language="fr")):
        ((text, language),) = said(pipeline)
    assert text.startswith("Hello") and language == "en"
