"""This module has the pipeline's session be what the persona says, and knows how each update of it was answered."""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.livekit.capabilities import PipelineCapabilities
from agent.livekit.connection import PipelineConnection
from agent.livekit.send_queue import SendQueueFull
from agent.livekit.session_settings import PipelineSessionSettings, Proactive, refusal
from agent.persona.changes import PersonaRefused, Refusal
from agent.persona.persona import Persona, Phrase
from agent.persona.wishes import PERSONA
from pipeline.realtime.client import Event

logger = logging.getLogger(__name__)

UPDATE = "aura-session"  # how the ids of our updates begin
ANSWERED_S = 5.0  # in which the pipeline answers an update
MOST_PHRASES = 16
OUT_OF_BAND: Mapping[str, Any] = {"conversation": "none"}  # as OpenAI has it: the conversation does not keep it


@dataclass(frozen=True, slots=True)
class _Said:
    language: str = ""
    kept: bool = True


@dataclass(frozen=True, slots=True)
class PersonaInForce:
    """Who the agent is now.

    Attributes:
        voice: The one that speaks; empty: the pipeline does not say.
        there: What there is to choose from.
    """

    persona: Persona
    voice: str
    there: PipelineCapabilities

    @property
    def shown(self) -> Mapping[str, object]:
        """What anybody may know of it: not what it is told."""
        persona = self.persona
        return {
            "name": persona.name,
            "voice": self.voice,
            "language": persona.language,
            "proactive": persona.proactive,
            "longest_answer": persona.longest_answer,
            "speaks_first": persona.speaks_first,
            "modality": persona.modality,
        }

    @property
    def choices(self) -> Mapping[str, object]:
        """What there is to choose from."""
        there = self.there
        return {"voices": there.voices, "languages": there.languages, "voice_languages": there.voice_languages}


class SessionPersona:
    """The persona of one session."""

    def __init__(self, settings: PipelineSessionSettings, connection: PipelineConnection) -> None:
        self._settings, self._connection = settings, connection
        self._count = 0
        self._waiting: dict[str, asyncio.Future[None] | None] = {}
        self._up = False
        self._proactive: Proactive = "off"
        self._voice = ""
        self._tools: tuple[Mapping[str, Any], ...] = ()
        self._phrases: OrderedDict[str, _Said] = OrderedDict()  # by what is said as it is

    @property
    def persona(self) -> Persona:
        return self._settings.persona

    @property
    def in_force(self) -> PersonaInForce:
        return PersonaInForce(self.persona, self._voice or self.persona.voice, self._connection.capabilities)

    def introduction(self, proactive: Proactive = "off") -> Event:
        """What the pipeline is told first: all of it."""
        self._up, self._proactive = True, proactive
        return self._update(self._whole())

    def speak_up(self, proactive: Proactive) -> None:
        """Have the pipeline offer what it would say unasked from now on, or not."""
        self._proactive = proactive
        self._tell({"type": "realtime", "aura": {"proactive": proactive}})

    def offer_tools(self, tools: tuple[Mapping[str, Any], ...]) -> None:
        """Let the model call these functions from now on, if it can."""
        if tools != self._tools:
            self._tools = tools
            if self._connection.capabilities.tools:
                self._tell({"type": "realtime", "tools": list(tools)})

    def lose(self) -> None:
        """The line is down: all is said anew when it is up."""
        self._up = False
        waiting, self._waiting = self._waiting, {}
        for event_id, answered in waiting.items():
            self._connection.withdraw(event_id)  # it would come behind what is said anew
            if answered and not answered.done():
                answered.set_exception(_not_reached())

    def instruct(self, instructions: str) -> None:
        """Tell the model something else from now on."""
        if instructions != self.persona.instructions:
            self._settings = replace(self._settings, persona=replace(self.persona, instructions=instructions))
            self._tell(self._character())

    async def configure(self, persona: Persona) -> None:
        """Be somebody else from now on. While the line is down it is only noted, and asked for when it is up.

        Raises:
            PersonaRefused: The pipeline does not have that, or does not answer; all is as it was.
        """
        before, self._settings = self._settings, replace(self._settings, persona=persona)
        if not self._up or self._settings == before:
            return
        changed = dict(self._character())
        if self._settings.modalities != before.modalities:
            changed["output_modalities"] = self._settings.modalities
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        update = self._update(changed, answered)
        try:
            self._connection.send(update)
            async with asyncio.timeout(ANSWERED_S):
                await answered
        except PersonaRefused:
            self._settings = before
            raise
        except SendQueueFull as full:
            self._settings = before
            del self._waiting[update["event_id"]]
            raise _not_reached() from full
        except TimeoutError as late:
            self._settings = before
            if self._connection.withdraw(update["event_id"]):
                del self._waiting[update["event_id"]]
            else:  # it has left, and may be done yet
                self._tell(self._whole())
            raise _not_reached() from late

    def updated(self, session: Mapping[str, Any]) -> None:
        """The pipeline has done what the oldest update asks for."""
        self._voice = str(((session.get("audio") or {}).get("output") or {}).get("voice") or "")
        if self._waiting:
            answered = self._waiting.pop(next(iter(self._waiting)))
            if answered and not answered.done():
                answered.set_result(None)

    def refused(self, error: Mapping[str, Any]) -> Refusal | None:
        """The pipeline has refused something: of an update for which nobody waits, what it was; the rest is asked for
        again."""
        event_id, param = str(error.get("event_id") or ""), str(error.get("param") or "")
        if event_id not in self._waiting:
            return None
        answered, why = self._waiting.pop(event_id), refusal(param, str(error.get("message") or "refused"))
        if answered:
            if not answered.done():
                answered.set_exception(PersonaRefused(why))
            return None
        tools = self._tools_without(param)
        if (settings := self._settings.without(param)) != self._settings or tools != self._tools:
            self._settings, self._tools = settings, tools
            self._connection.send(self._update(self._whole()))
        return why

    def note(self, phrase: Phrase, *, kept: bool = True) -> str:
        """Remember how a text is said, if it is said as it is; returns it.

        Args:
            kept: The model knows that it was said.
        """
        self._phrases[phrase.text] = _Said(phrase.language, kept)
        while len(self._phrases) > MOST_PHRASES:
            self._phrases.popitem(last=False)
        return phrase.text

    def saying(self, text: str) -> dict[str, Any]:
        """The `response` that says a text as it is: in its language, if that is known and spoken."""
        said = self._phrases.get(text, _Said())
        spoken = said.language and said.language in self._connection.capabilities.voice_languages
        output = {"audio": {"output": {"language": said.language}}} if spoken else {}
        return {"metadata": {"say": text}, **output, **({} if said.kept else OUT_OF_BAND)}

    def _tell(self, session: Mapping[str, Any]) -> None:
        """Have the pipeline change its session; while the line is down, nothing is sent."""
        if self._up:
            self._connection.send(self._update(session))

    def _whole(self) -> Mapping[str, Any]:
        there = self._connection.capabilities
        tools = {"tools": list(self._tools)} if self._tools and there.tools else {}
        return {**self._settings.session(there, self._proactive), **tools}

    def _tools_without(self, param: str) -> tuple[Mapping[str, Any], ...]:
        """The tools without the one that the pipeline refused by this `param`; without any, if it refused them all."""
        refused = re.match(r"session\.tools(?:\[(\d+)\])?", param)
        if refused is None:
            return self._tools
        at = refused[1]
        return tuple(tool for i, tool in enumerate(self._tools) if at is not None and i != int(at))

    def _character(self) -> Mapping[str, Any]:
        return self._settings.character(self._connection.capabilities)

    def _update(self, session: Mapping[str, Any], answered: asyncio.Future[None] | None = None) -> Event:
        """An update, of which it will be known how it was answered: updates are answered in their order."""
        self._count += 1
        event_id = f"{UPDATE}-{self._count}"
        self._waiting[event_id] = answered
        return {"type": "session.update", "event_id": event_id, "session": dict(session)}


def _not_reached() -> PersonaRefused:
    return PersonaRefused(Refusal(PERSONA, "the speech server does not answer just now, and nothing was changed"))
