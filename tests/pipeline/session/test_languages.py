"""What the recogniser hears decides the language in which each answer is spoken, on virtual time."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.engines.fake import FakeEngine, Step, writes
from pipeline.topology.processors.aura import aura2tts
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import AsrInput, Transcript
from pipeline.types.events import input_events as events
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import AURA, INFLIGHT, TTS, Caller, Line, to_chat


def understands(*heard: tuple[str, str]) -> FakeEngine[AsrInput, Transcript]:
    """A recogniser that says which language it hears: of each utterance, the text and that."""
    left = list(heard)

    def script(window: AsrInput) -> Iterable[Step[Transcript]]:
        text, language = left.pop(0) if len(left) > 1 else left[0]
        yield 0.0, Transcript(text, window.audio_end_ms, window.settles, language=language)

    return FakeEngine(script)


@dataclass(slots=True)
class VoiceLine(Line):
    """Scripted engines, the last of which is asked as the Talker is."""

    def stages(self) -> PipelineStages:
        voice = Stage(TTS, self.tts, aura2tts)
        return PipelineStages(self.asr, (Stage(AURA, self.aura, to_chat, INFLIGHT), voice))

    @property
    def spoken(self) -> list[str]:
        """The language of each answer."""
        return [clause.language for clause in self.tts.prompts]


async def asks(caller: Caller) -> None:
    await caller.says(1.0)
    await caller.is_silent(1.0)
    caller.session.commit()
    caller.session.respond()
    await asyncio.sleep(3)


async def test_each_answer_is_spoken_in_the_language_of_its_question() -> None:
    line = VoiceLine(
        understands(("Guten Tag.", "German"), ("Good day.", "English"), ("Hej.", "Swedish")), writes("Yes.")
    )
    async with line.call() as caller:
        for _ in range(3):
            await asks(caller)
    assert line.spoken == ["de", "en", "auto"], "and what the voice does not speak is left to it"
    told = caller.all(events.TranscriptionCompleted)
    assert [completed.language for completed in told] == ["de", "en", "sv"]
    assert len(line.questions) == 3, "each answer was begun in the pause and adopted"


async def test_a_session_that_names_a_language_is_answered_in_it_whatever_is_heard() -> None:
    line = VoiceLine(understands(("Guten Tag.", "German")), writes("Yes."))
    async with line.call(SessionOptions(ResponseOptions(voice_language="fr"))) as caller:
        await asks(caller)
    assert line.spoken == ["fr"]


async def test_what_is_written_after_it_is_left_to_the_voice() -> None:
    line = VoiceLine(understands(("Guten Tag.", "German")), writes("Yes."))
    async with line.call() as caller:
        await asks(caller)
        caller.session.write(Item("typed", "user", "What is the time?"))
        caller.session.respond()
        await asyncio.sleep(3)
    assert line.spoken == ["de", "auto"]


async def test_what_is_to_be_said_as_it_is_has_the_language_that_it_is_given() -> None:
    line = VoiceLine(understands(("Guten Tag.", "German")), writes("Yes."))
    async with line.call() as caller:
        await asks(caller)
        for options in (ResponseOptions(say="Bonjour."), ResponseOptions(say="Bonjour.", voice_language="fr")):
            caller.session.respond(options)
            await asyncio.sleep(3)
    assert line.spoken == ["de", "auto", "fr"]


async def test_a_language_that_is_made_out_at_the_end_only_is_that_of_the_answer() -> None:
    """The words stay the same: the answer is begun again, and the first is not heard."""
    line = VoiceLine(understands(("Ja.", ""), ("Ja.", "German")), writes("Yes."))
    async with line.call() as caller:
        await caller.says(1.0)
        await caller.is_silent(0.4)
        await caller.says(0.5)
        await caller.is_silent(0.4)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
    assert line.spoken[-1] == "de"
    assert caller.heard_text() == "Yes."
