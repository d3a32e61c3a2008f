"""This module records one call: it joins its sound and its timeline, and ends both where one fails."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
from livekit import rtc
from livekit.agents import AgentSession, ConversationItemAddedEvent
from livekit.agents.llm import ChatMessage

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.records.channel import Pcm
from agent.records.ogg_file import RATE, OggFile, SoundFile
from agent.records.outbox import PendingNotice, WebhookOutbox
from agent.records.record_folder import RecordFolder, remove, utc_now
from agent.records.sound_recorder import WRITE_S, Offload, SoundRecorder, finished
from agent.records.taps import RecordedInput, RecordedOutput
from agent.records.timeline import (
    Heard,
    Joined,
    Kind,
    RecordedItem,
    RecordEnd,
    RecordHead,
    Shown,
    SoundOf,
    TimelineFile,
    read_timeline,
)
from agent.records.webhook import webhook_body
from agent.settings.records import RecordSettings
from agent.status.attributes import AttributeSink

logger = logging.getLogger(__name__)

NEVER = (None, None)
WHATS: Mapping[str, Literal["decision", "timing", "tool"]] = {
    "aura.decision": "decision",
    "aura.timings": "timing",
    "aura.tool": "tool",
}


class RecordingHost(Protocol):
    """The call that is recorded."""

    def on_recording(self, on: bool, why: str = "") -> None:
        """It is recorded from now on, or no more; `why`: what has failed, in words for people."""
        ...


class CallRecording:
    """Records a call from `begin` on.

    Args:
        open_sound: Makes the file of the sound.
        offload: Runs what writes.
    """

    def __init__(
        self,
        settings: RecordSettings,
        room: str,
        kind: Kind,
        *,
        open_sound: Callable[[Path], SoundFile] = OggFile,
        offload: Offload = asyncio.to_thread,
    ) -> None:
        self._settings, self._room, self._kind = settings, room, kind
        self._open_sound, self._offload = open_sound, offload
        self._people: list[str] = []  # who came before it began
        self._host: RecordingHost | None = None
        self._folder: Path | None = None  # while it is recorded
        self._sound: SoundRecorder | None = None
        self._lines: TimelineFile | None = None
        self._began = 0.0
        self._spoken: tuple[int, int] | None = None  # what the person said last
        self._heard: tuple[int, int] | None = None  # what was heard last of the agent
        self._segment_over = True
        self._tasks = OwnedTasks()
        self._writing: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def on(self) -> bool:
        """Whether the call is recorded."""
        return self._folder is not None

    def begin(self, session: AgentSession[Any], host: RecordingHost, began: float) -> None:
        """Record a session that has started.

        Args:
            began: When the call did, on the loop's clock: the beginning of the record.
        """
        self._host, self._began = host, began
        heard, played = session.input.audio, session.output.audio
        try:
            self._folder, self._lines, file = self._made(with_sound=bool(heard and played))
        except OSError as error:
            host.on_recording(False, self._told(error))
            return
        if file and heard and played:
            self._sound = SoundRecorder(file, began, offload=self._offload)
            self._sound.run = output = RecordedOutput(played, self)
            session.input.audio, session.output.audio = RecordedInput(heard, self), output
        for identity in self._people:
            self._lines.add(Joined(self._ms(), identity))
        session.on("conversation_item_added", self._on_item)
        self._writing = self._tasks.start(self._write(), "record:write")
        host.on_recording(True)
        logger.info("recording", extra={"record": self._folder.name})

    def _made(self, *, with_sound: bool) -> tuple[Path, TimelineFile, SoundFile | None]:
        """Make the record's folder, and its files."""
        now = utc_now()
        folder = RecordFolder(self._settings.folder).make(self._room, now)
        try:
            file = self._open_sound(folder / SoundOf().file) if with_sound else None
            return folder, TimelineFile(folder, RecordHead(folder.name, self._room, self._kind, _iso(now))), file
        except OSError:
            remove(folder)
            raise

    async def aclose(self) -> None:
        """The call is over."""
        if self._writing:
            self._writing.cancel()
            await asyncio.wait([self._writing])
            await self._finish("")
        await self._tasks.aclose()

    # What the call tells.

    @log_exceptions
    def met(self, identity: str) -> None:
        """Somebody is there."""
        if identity in self._people:
            return
        self._people.append(identity)
        if self._lines and self.on:
            self._lines.add(Joined(self._ms(), identity))

    @log_exceptions
    def spoke(self, began: float, ended: float) -> None:
        """The person has spoken, from and until these moments on the loop's clock."""
        self._spoken = self._ms(began), self._ms(ended)

    @log_exceptions
    def note(self, attributes: Mapping[str, str]) -> None:
        """Take what people in the room are shown."""
        for name, value in attributes.items():
            if self._lines and self.on and value and (what := WHATS.get(name)):
                self._lines.add(Shown(what, msgspec.json.decode(value)))

    # What LiveKit tells.

    @log_exceptions
    def hear(self, frame: rtc.AudioFrame) -> None:
        if self._sound and self.on:
            self._sound.hear(frame)

    @log_exceptions
    def play(self, began: float, pcm: Pcm) -> None:
        if self._sound and self._lines and self.on:
            sample = self._sound.play(began, pcm)
            at_ms, until_ms = (round(1000 * position / RATE) for position in (sample, sample + pcm.size))
            self._heard = (self._heard[0] if self._heard and not self._segment_over else at_ms), until_ms
            self._segment_over = False
            self._lines.add(Heard(at_ms, sample, int(pcm.size)))

    def on_played(self, interrupted: bool) -> None:
        self._segment_over = True

    @log_exceptions
    def _on_item(self, event: ConversationItemAddedEvent) -> None:
        item = event.item
        if not (self._lines and self.on and isinstance(item, ChatMessage) and item.text_content):
            return
        if item.role == "user":
            (since, until), self._spoken = self._spoken or NEVER, None
            self._lines.add(RecordedItem(self._ms(), "person", item.text_content, since, until))
        elif item.role == "assistant":
            (since, until), self._heard = self._heard or NEVER, None
            self._lines.add(RecordedItem(self._ms(), "agent", item.text_content, since, until, item.interrupted))

    # What it writes.

    async def _write(self) -> None:
        while self.on:
            await asyncio.sleep(WRITE_S)
            try:
                await self._write_once()
            except OSError as error:
                self._finish(self._told(error))
                return

    async def _write_once(self) -> None:
        if self._folder and not await finished(self._offload(self._folder.exists)):
            logger.info("the record was deleted", extra={"record": self._folder.name})
            self._finish("")
            return
        if self._lines:
            await finished(self._offload(self._lines.write))
        if self._sound:
            await self._sound.write()

    def _finish(self, why: str) -> "asyncio.Task[None]":
        """End the record, once; `why`: what has failed. Nothing cuts that short."""
        folder, self._folder = self._folder, None
        if folder:
            self._ending = self._tasks.start(self._end(folder, why), "record:end")
        assert self._ending, "it has begun"
        return self._ending

    async def _end(self, folder: Path, why: str) -> None:
        samples, lost = None, 0
        if self._sound:
            try:
                await self._sound.close()
            except OSError as error:
                why = why or self._told(error)
            samples, lost = self._sound.samples, self._sound.lost
        if self._lines:
            self._lines.add(RecordEnd(_iso(utc_now()), self._ms(), samples, lost, why))
            try:
                await finished(self._offload(self._lines.close))
            except OSError as error:
                deleted = not await self._offload(folder.exists)
                why = why if deleted else why or self._told(error)
            else:
                await self._tell(folder)
        if self._host:
            self._host.on_recording(False, why)
        logger.info("recorded", extra={"record": folder.name, "samples": samples, "lost": lost})

    async def _tell(self, record: Path) -> None:
        """Leave what the webhook is told to the worker: this process may end sooner than somebody takes it."""
        if not self._settings.webhook:
            return
        try:
            timeline = await finished(self._offload(read_timeline, record))
            notice = PendingNotice(record, webhook_body(timeline, str(record)))
            await finished(self._offload(WebhookOutbox(self._settings.folder).put, notice))
        except OSError:
            logger.exception("the webhook is not told", extra={"record": record.name})

    def _told(self, error: OSError) -> str:
        logger.error("the call is not recorded", exc_info=error)
        return error.strerror or str(error)

    def _ms(self, at: float | None = None) -> int:
        """Milliseconds of the record, of now unless a moment is given."""
        return round(((asyncio.get_running_loop().time() if at is None else at) - self._began) * 1000)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


class RecordedSink:
    """Shows people what the agent publishes, and has it recorded."""

    def __init__(self, sink: AttributeSink, recording: CallRecording) -> None:
        self._sink, self._recording = sink, recording

    async def publish(self, attributes: dict[str, str]) -> None:
        self._recording.note(attributes)
        await self._sink.publish(attributes)
