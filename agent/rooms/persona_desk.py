"""This module takes what people in a room ask of the persona, by attribute or by call, a few times a second at most."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import msgspec
from livekit import rtc

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.persona.changes import FIELDS, PersonaChanges, PersonaRefused, Refusal
from agent.persona.wishes import LANGUAGES, PERSONA, asked, of_text

logger = logging.getLogger(__name__)

CONFIGURE = "aura.configure"  # the name of the call
SAMPLE = "aura.sample"  # the name of the call that has the voice heard
INVALID = 400  # the code of its refusals
LEAST_S = 0.25  # between two changes: what is asked for meanwhile is done at once, the newest of each field
MOST_BYTES = 250  # of a refusal; LiveKit would cut it without a sign
MOST_WAITING = 64  # calls that are not answered yet


class PersonaHolder(Protocol):
    """The holder is somebody."""

    def meet(self, languages: str) -> None:
        """Somebody is there who prefers these languages."""
        ...

    async def become(self, changes: PersonaChanges) -> Mapping[str, object]:
        """Be somebody else; returns who that is.

        Raises:
            PersonaRefused: All is as it was.
        """
        ...

    def sample(self) -> None:
        """Let people hear the voice.

        Raises:
            PersonaRefused: Nothing can be heard now.
        """
        ...

    def refuse(self, *refusals: Refusal) -> None:
        """Show what was not done, for nobody who waits."""
        ...


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A call that is not answered yet, and the fields that it names."""

    fields: frozenset[str]
    answer: asyncio.Future[str]


class PersonaDesk:
    """Serves one room.

    Args:
        strangers: The fields that participants may set. Who is an agent, too, may set all: only the holder of the
            secret makes agents.
    """

    def __init__(self, holder: PersonaHolder, strangers: frozenset[str]) -> None:
        self._holder, self._strangers = holder, strangers
        self._room: rtc.Room | None = None
        self._caller = ""
        self._told = ""  # the attribute that was read last
        self._wanted = PersonaChanges()
        self._waiting: list[_Waiting] = []
        self._tasks = OwnedTasks()
        self._due = asyncio.Event()

    def watch(self, room: rtc.Room) -> None:
        """Begin, in a room that has been joined."""
        self._room = room
        room.on("participant_attributes_changed", self._on_attributes)
        room.local_participant.register_rpc_method(CONFIGURE, self.on_call)
        room.local_participant.register_rpc_method(SAMPLE, self.on_sample)
        self._tasks.start(self._run(), "persona")

    def serve(self, identity: str) -> None:
        """That person is the caller now: what they are and like counts."""
        self._caller = identity
        if self._room and (person := self._room.remote_participants.get(identity)):
            self._read(person.attributes)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def on_call(self, call: rtc.RpcInvocationData) -> str:
        """Answer the call of a participant: with who the agent is now, as JSON.

        Raises:
            rtc.RpcError: It was refused: the message begins with the name of the field.
        """
        try:
            changes = asked(call.payload, self._allowed(call.caller_identity))
            if len(self._waiting) >= MOST_WAITING:
                raise PersonaRefused(Refusal(PERSONA, "too many changes at once"))
            answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self._waiting.append(_Waiting(frozenset(changes.values), answer))
            self._want(changes)
            return await answer
        except PersonaRefused as refused:
            raise rtc.RpcError(INVALID, _shortened(str(refused))) from refused

    async def on_sample(self, call: rtc.RpcInvocationData) -> str:
        """Have the voice heard.

        Raises:
            rtc.RpcError: Nothing can be heard now; the message begins with the name of the field that says why.
        """
        try:
            self._holder.sample()
        except PersonaRefused as refused:
            raise rtc.RpcError(INVALID, _shortened(str(refused))) from refused
        return "{}"

    def _allowed(self, identity: str) -> frozenset[str]:
        person = self._room.remote_participants.get(identity) if self._room else None
        trusted = person is not None and person.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
        return frozenset(FIELDS) if trusted else self._strangers

    @log_exceptions
    def _on_attributes(self, changed: dict[str, str], person: rtc.Participant) -> None:
        if person.identity == self._caller:
            self._read(changed)

    def _read(self, attributes: Mapping[str, str]) -> None:
        if LANGUAGES in attributes:
            self._holder.meet(attributes[LANGUAGES])
        text = attributes.get(PERSONA, "")
        if text == self._told or PERSONA not in attributes:
            return
        self._told = text
        changes, refusals = of_text(text, self._strangers)
        self._holder.refuse(*refusals)
        if changes:
            self._want(changes)

    def _want(self, changes: PersonaChanges) -> None:
        self._wanted = self._wanted.under(changes)
        self._due.set()

    async def _run(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            wanted, self._wanted = self._wanted, PersonaChanges()
            waiting, self._waiting = self._waiting, []
            await self._become(wanted, waiting)
            await asyncio.sleep(LEAST_S)

    async def _become(self, wanted: PersonaChanges, waiting: list[_Waiting]) -> None:
        """Have it done; without what is refused, which whoever asked for it is told."""
        while True:
            try:
                now = msgspec.json.encode(await self._holder.become(wanted)).decode()
            except PersonaRefused as refused:
                names = {refusal.name for refusal in refused.refusals} & wanted.values.keys()
                others = self._tell(refused, names, waiting)
                if not names:
                    return
                # Of a call that is refused nothing is done, but for what others ask for, too.
                theirs = frozenset[str]().union(*(each.fields for each in waiting if each not in others))
                kept = frozenset[str]().union(*(each.fields for each in others))
                wanted, waiting = wanted.without((theirs - kept) | names), others
                if not (wanted or waiting):
                    return
            except Exception:
                logger.exception("a change of the persona failed", extra={"fields": sorted(wanted.values)})
                self._tell(PersonaRefused(Refusal(PERSONA, "it failed")), set(), waiting)
                return
            else:
                for each in waiting:
                    _answer(each, now)
                return

    def _tell(self, refused: PersonaRefused, names: set[str], waiting: list[_Waiting]) -> list[_Waiting]:
        """Tell those who asked for these fields, all if it is none of them; returns the others."""
        theirs = [each for each in waiting if each.fields & names or not names]
        for each in theirs:
            if not each.answer.done():
                each.answer.set_exception(PersonaRefused(*refused.refusals))
        if not theirs:
            self._holder.refuse(*refused.refusals)
        return [each for each in waiting if each not in theirs]


def _answer(waiting: _Waiting, text: str) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(text)


def _shortened(text: str) -> str:
    """So much as a refusal of LiveKit's has room for: 256 bytes."""
    cut = text.encode()[:MOST_BYTES].decode(errors="ignore")
    return text if cut == text else f"{cut}…"
