"""What people are told before they are recorded: all of the sentence, and nothing where nothing is."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent.persona.greetings import CONSENTS, GREETINGS
from agent.persona.persona import AURA
from agent.records.call_recording import CallRecording
from agent.settings.records import RecordSettings
from tests.agent.records.tape import Tape, at_once
from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio
SENTENCE = "This call is being recorded."


def recording(folder: Path) -> CallRecording:
    return CallRecording(RecordSettings(folder), "aura-1", "browser", open_sound=Tape().open, offload=at_once)


async def test_a_call_that_is_recorded_begins_with_the_sentence(tmp_path: Path) -> None:
    async with talking(greet=True, recording=recording(tmp_path)) as room:
        await room.hears_out()
        assert room.heard.startswith(f"{SENTENCE} Hello, I'm Aura.")


async def test_a_call_that_is_not_recorded_has_no_such_sentence(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("this is no folder")
    for made in (None, recording(tmp_path / "records")):
        async with talking(greet=True, recording=made) as room:
            await room.hears_out()
            assert room.heard.startswith("Hello, I'm Aura.")


async def test_who_speaks_over_it_is_answered_and_hears_it_to_its_end(tmp_path: Path) -> None:
    async with talking(greet=True, recording=recording(tmp_path)) as room:
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.", SENTENCE)
        await room.hears_out()
        assert room.heard.count(SENTENCE) == 1


async def test_what_is_typed_first_is_answered_after_the_sentence(tmp_path: Path) -> None:
    async with talking(greet=True, recording=recording(tmp_path)) as room:
        await room.writes("What is the capital of France?")
        await room.hears_out()
        assert room.heard == f"{SENTENCE} The capital is Paris."
        assert room.history[-2:] == [("user", "What is the capital of France?"), ("assistant", "The capital is Paris.")]


async def test_it_is_said_too_where_the_persona_waits_for_the_person(tmp_path: Path) -> None:
    persona = replace(AURA, speaks_first=False)
    async with talking(greet=True, recording=recording(tmp_path), persona=persona) as room:
        await room.hears_out()
        assert room.heard == SENTENCE


async def test_where_the_line_breaks_in_it_it_is_said_once_more(tmp_path: Path) -> None:
    persona = replace(AURA, consent=f"Before we begin, you are to know one thing. {SENTENCE}", consents={})
    async with talking(greet=True, recording=recording(tmp_path), persona=persona) as room:
        room.pipeline.break_off()
        room.cut_off = True
        await room.pauses(5)
        await room.hears_out()
        assert room.heard.endswith(persona.consent) and room.heard.count(SENTENCE) == 1


async def test_where_the_voice_fails_it_is_said_when_it_is_there_again(tmp_path: Path) -> None:
    engines = Engines()
    engines.broken.add("tts")
    async with talking(engines, greet=True, recording=recording(tmp_path)) as room:
        engines.broken.clear()
        await room.hears_out()
        assert SENTENCE in room.heard


def test_there_is_one_in_every_language_of_the_greetings() -> None:
    assert CONSENTS.keys() == GREETINGS.keys()
    assert AURA.consent_in(["de", "en"]).text == CONSENTS["de"]
