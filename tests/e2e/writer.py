"""Somebody in a room who only writes, and is written to: costs a machine next to nothing, however many there are."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from livekit import rtc

from infra.bench.person.diary import Diary
from infra.bench.person.grant import Grant
from infra.bench.person.person import AGENT, ANSWER_S, CAPTIONS, CHAT, READY_S
from infra.bench.person.task_scope import TaskScope, task_scope
from infra.bench.person.visit import visit

PERSONA = {"aura.persona": json.dumps({"modality": "text"})}  # attributes with which to join


class Writer:
    """Somebody who has joined.

    Attributes:
        read: What the agents have written, each answer once it is whole.
        agents: Those that have come, by identity.
        gone: Those that have left.
        troubles: What was wrong, in the words of the agent.
        lines: The agents' lines to the pipeline, one after the other; empty: there was none.
    """

    def __init__(self, name: str, tasks: TaskScope) -> None:
        self.diary, self.room = Diary(name), rtc.Room()
        self.read: list[str] = []
        self.agents: list[str] = []
        self.gone: list[str] = []
        self.troubles: list[str] = []
        self.lines: list[str] = []
        self._tasks = tasks

    async def enter(self, grant: Grant) -> None:
        self.room.on("participant_connected", self._on_arrival)
        self.room.on("participant_disconnected", self._on_departure)
        self.room.on("participant_attributes_changed", self._on_attributes)
        self.room.on("disconnected", lambda reason: self.diary.note(f"disconnected: {reason}"))
        self.room.register_text_stream_handler(CAPTIONS, self._on_caption)
        await self.room.connect(grant.url, grant.token, rtc.RoomOptions(auto_subscribe=False))
        for someone in self.room.remote_participants.values():
            self._on_arrival(someone)

    async def greeted(self) -> None:
        """Returns when an agent is there, and has said so."""
        await self.diary.until(lambda: self.read, READY_S, "a greeting")

    async def left_alone(self, within_s: float) -> None:
        """Returns when an agent has left."""
        await self.diary.until(lambda: self.gone, within_s, "the end of an agent")

    async def back_on_line(self) -> None:
        """Returns when an agent that had lost its line to the pipeline has one again."""
        await self.diary.until(lambda: "" in self.lines[1:-1] and self.lines[-1], READY_S, "a line to the pipeline")

    async def reads(self, text: str) -> None:
        """Returns when an agent has written that."""
        await self.diary.until(lambda: text in self.read, READY_S, f"to read {text!r}")

    async def ask(self, question: str = "What is the capital of France?") -> str:
        """Return the answer."""
        read = len(self.read)
        self.diary.note(f"writes {question!r}")
        await self.room.local_participant.send_text(question, topic=CHAT)
        await self.diary.until(lambda: len(self.read) > read, ANSWER_S, "an answer")
        return self.read[-1]

    def _on_arrival(self, someone: rtc.RemoteParticipant) -> None:
        if someone.kind == AGENT and someone.identity not in self.agents:
            self.agents.append(someone.identity)
            self.diary.note(f"{someone.identity} is there")

    def _on_departure(self, someone: rtc.RemoteParticipant) -> None:
        self.gone.append(someone.identity)
        self.diary.note(f"{someone.identity} leaves")

    def _on_attributes(self, changed: dict[str, str], someone: rtc.Participant) -> None:
        for name in ("aura.state", "aura.error", "aura.connection"):
            if name in changed:
                self.diary.note(f"{name} = {changed[name]}")
        if "aura.connection" in changed:
            self.lines.append(changed["aura.connection"])
        if changed.get("aura.error"):
            self.troubles.append(changed["aura.error"])

    def _on_caption(self, reader: rtc.TextStreamReader, identity: str) -> None:
        if identity != self.room.local_participant.identity:
            self._tasks.start(self._read(reader), "caption")

    async def _read(self, reader: rtc.TextStreamReader) -> None:
        try:
            text = await reader.read_all()
        except rtc.StreamError:
            self.diary.note("a caption broke off")
            return
        self.read.append(text)
        self.diary.note(f"reads {text!r}")


@asynccontextmanager
async def writing(name: str, grant: Grant) -> AsyncGenerator[Writer]:
    """Somebody in a room for as long as the context lasts."""
    async with task_scope() as tasks:
        writer = Writer(name, tasks)
        async with visit(name, writer.room, writer.diary):
            await asyncio.wait_for(writer.enter(grant), READY_S)
            yield writer
