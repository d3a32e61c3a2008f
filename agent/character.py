"""This module is who the agent is in one call: it greets, changes, refuses, and may speak of its own accord or not."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from livekit.agents import AgentSession
from livekit.agents.voice import SpeechHandle

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.answers.answer_anew import AnswerAnew
from agent.answers.answer_cuts import AnswerCuts
from agent.floor.quiet_wishes import wishes_remarks
from agent.livekit.conversation import PipelineConversation
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.remarks import Remarks
from agent.livekit.session_persona import PersonaInForce
from agent.persona.changes import PersonaChanges, PersonaRefused, Refusal
from agent.persona.first_persona import FirstPersona
from agent.persona.language import AUTO, ENGLISH, preferred
from agent.persona.persona import Persona, Phrase
from agent.records.consent import MayRecord, RecordingConsent
from agent.status.attributes import AgentStatePublisher

logger = logging.getLogger(__name__)

PhraseKind = Literal["greeting", "apology", "hold", "goodbye", "consent"]

MOST_REFUSAL = 300  # letters of a refusal that its decision shows


@dataclass(frozen=True, slots=True)
class _Said:
    """A phrase that is said as it is.

    Attributes:
        again: It is said once more if a change of modality cuts it.
    """

    handle: SpeechHandle
    phrase: Phrase
    again: bool


class CallPersona:
    """Joins the persona to the pipeline's session, to what LiveKit says, and to the floor.

    Attributes:
        consent: Has people told that the call is recorded.

    Args:
        first: Who it is until somebody changes it.
        recording: May record the call; None: nothing does.
    """

    def __init__(
        self,
        session: AgentSession[None],
        model: AuraRealtimeModel,
        publisher: AgentStatePublisher,
        remarks: Remarks,
        cuts: AnswerCuts,
        first: FirstPersona,
        recording: MayRecord | None = None,
    ) -> None:
        self._session, self._model, self._publisher, self._remarks = session, model, publisher, remarks
        self._first = first
        self.consent = RecordingConsent(self, None if first.recalled else recording)
        self._saying: list[_Said] = []  # what is said as it is, and may not be over
        self._answer = AnswerAnew(session, model, publisher, cuts)
        self._preferred = ""  # the languages that the person prefers
        self._heard = ""  # the language that was heard last
        self._line_up = asyncio.Event()
        self._tasks = OwnedTasks()

    @property
    def now(self) -> Persona:
        """Who it is."""
        return self._model.live.character.persona if self._model.live else self._first.persona

    @property
    def speaks_up(self) -> bool:
        """Whether the agent may speak of its own accord."""
        return self._remarks.floor.wanted

    @property
    def is_up(self) -> bool:
        """Whether the line to the pipeline is up."""
        return self._model.live is not None and self._model.live.is_up

    def greet(self) -> None:
        """Say who is there, in the first of the person's languages that the voice speaks, once the line is up."""
        self.consent.expect()
        self._tasks.start(self._greet(), "call:greeting")

    def sample(self) -> None:
        """Say the greeting, so that people hear the voice that there is now.

        Raises:
            PersonaRefused: Nothing can be heard now.
        """
        signals, phrase = self._publisher.signals, self._phrase("greeting")
        if self.now.modality == "text":
            raise PersonaRefused(Refusal("modality", "answers are written just now, and no voice is heard"))
        if signals.audible or signals.answering:
            raise PersonaRefused(Refusal("voice", "it speaks already, or is about to"))
        if not phrase.text:
            raise PersonaRefused(Refusal("greeting", "there is none that could be said"))
        self._say(phrase)

    def apologise(self) -> None:
        """Say that an answer was lost."""
        self._say(self._phrase("apology"))

    def hold(self) -> None:
        """Say that something takes a moment: the model would say so itself the next time, instead of calling a tool,
        if it knew of it."""
        self._say(self._phrase("hold"), kept=False, again=False)

    def say_consent(self) -> tuple[SpeechHandle, str] | None:
        """Say that the call is recorded; returns what is said, and its words, if it can be said."""
        phrase = self._phrase("consent")
        handle = self._say(phrase, again=False)
        return (handle, phrase.text) if handle else None

    async def say_goodbye(self) -> bool:
        """Say goodbye; returns whether nobody spoke over it."""
        handle = self._say(self._phrase("goodbye"))
        if handle is None:
            return True
        await handle.wait_for_playout()
        return not handle.interrupted

    def meet(self, languages: str) -> None:
        """Somebody is there who prefers these languages: codes with commas between them."""
        self._preferred = languages

    def on_line_up(self) -> None:
        """The pipeline is there."""
        self._line_up.set()

    def on_heard(self, language: str) -> None:
        """Somebody speaks this language; empty: nobody knows which."""
        self._heard = language or self._heard

    async def become(self, changes: PersonaChanges) -> Mapping[str, object]:
        """Be somebody else from now on; returns who, as it is shown.

        Raises:
            PersonaRefused: The pipeline does not have that; all is as it was.
        """
        live = self._model.live
        assert live, "the call has started"
        persona = self._first.catalogue.changed(self.now, changes)
        if persona.modality == self.now.modality:
            await live.character.configure(persona)
        else:
            await self._change_modality(live, persona)
        if "proactive" in changes.values:
            self.speak_up(self.now.proactive)
        self.show(live.character.in_force)
        return self._shown(live.character.in_force)

    def show(self, in_force: PersonaInForce) -> None:
        """Show who it is, and what there is to choose from."""
        self._set_output()
        names = self._first.catalogue.names
        choices = {**in_force.choices, "personas": names} if names else in_force.choices
        self._publisher.persona(self._shown(in_force), choices)

    def refuse(self, *refusals: Refusal) -> None:
        """Show what somebody wanted the agent to be, and it is not."""
        for refused in refusals:
            self._publisher.decided("refused", str(refused)[:MOST_REFUSAL])
            logger.warning("a wish was refused", extra={"field": refused.name})

    @log_exceptions
    def speak_up(self, allowed: bool) -> None:
        """Let the agent speak of its own accord from now on, or not: then a remark that is being made is broken off.
        Where it sees nothing, or may make no remarks, it never does."""
        allowed = allowed and self._first.may_remark
        if allowed != self.speaks_up:
            self._remarks.floor.want(allowed)
            if live := self._model.live:
                live.speak_up(allowed)
                self.show(live.character.in_force)

    @log_exceptions
    def heed(self, text: str) -> None:
        """Take what somebody said or wrote for a wish about speaking up, if it is one. They cannot have it speak up
        where its first persona does not."""
        wish = wishes_remarks(text, self.now.name)
        if wish is None or (wish and not self._first.persona.proactive):
            return
        before = self.speaks_up
        self.speak_up(wish)
        if self.speaks_up != before:
            words = "it speaks up again" if wish else "it speaks only when asked"
            self._publisher.decided("proactive", words, reason="asked")

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self.consent.aclose()

    async def _greet(self) -> None:
        await self._line_up.wait()
        self.consent.begin()
        if self._first.recalled or self.now.speaks_first:
            self._say(self._phrase("apology" if self._first.recalled else "greeting"))

    async def _change_modality(self, live: PipelineConversation, persona: Persona) -> None:
        """Write from now on, or speak. What is under way cannot end otherwise than it began: it is given anew."""
        said = [each for each in self._saying if not each.handle.done()]
        self.consent.hold()
        try:
            await self._answer.cut()
            await live.character.configure(persona)
        finally:
            self._set_output()
            self.consent.go_on()
            for each in said:
                if each.again:
                    self._say(each.phrase)
            self._answer.give()

    def _shown(self, in_force: PersonaInForce) -> Mapping[str, object]:
        """Who the agent is, as anybody may know it: with what it may do of its own accord now."""
        return {**in_force.shown, "proactive": self.speaks_up}

    def _phrase(self, kind: PhraseKind) -> Phrase:
        """What the persona says there: in the language that was heard, one that the person prefers, or English."""
        there = self._model.live.character.in_force.there if self._model.live else None
        spoken = there.voice_languages if there else ()
        languages = preferred(f"{self._heard},{self._preferred},{ENGLISH}", spoken) or spoken[:1]
        persona = self.now
        if spoken and persona.spoken_language not in spoken:  # it is understood, and not spoken
            persona = replace(persona, language=AUTO)
        match kind:
            case "greeting":
                return persona.greeting_in(languages)
            case "apology":
                return persona.apology_in(languages)
            case "hold":
                return persona.hold_in(languages)
            case "goodbye":
                return persona.goodbye_in(languages)
            case "consent":
                return persona.consent_in(languages)

    def _set_output(self) -> None:
        """Have LiveKit play answers, or only write them."""
        self._session.output.set_audio_enabled(self.now.modality == "audio")

    def _say(self, phrase: Phrase, *, kept: bool = True, again: bool = True) -> SpeechHandle | None:
        """Say a phrase as it is; returns None where there is nobody to say it, or nothing to be said.

        Args:
            kept: The model knows that it was said.
            again: It is said once more if a change of modality cuts it.
        """
        self._set_output()
        if not (phrase.text and self._model.live):
            return None
        handle = self._session.say(self._model.live.character.note(phrase, kept=kept))
        self._saying = [each for each in self._saying if not each.handle.done()]
        self._saying.append(_Said(handle, phrase, again))
        return handle
