"""A person in a room, with the LiveKit SDK: speaks, films, types, and keeps what comes back."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from livekit import rtc

from infra.bench.base.speech import Sound
from infra.bench.person.camera import FRAMES_PER_S, ClockCamera, FilmingCamera
from infra.bench.person.diary import Diary
from infra.bench.person.grant import Grant
from infra.bench.person.microphone import Microphone
from infra.bench.person.recording import Recording
from infra.bench.person.task_scope import TaskScope, task_scope
from infra.bench.person.visit import visit

CAPTIONS, CHAT = "lk.transcription", "lk.chat"
AGENT = rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
READY_S = 60.0  # from connecting until the agent has greeted: two seconds, where nothing else runs
CAPTION_S = 20.0
ANSWER_S = 90.0  # generous: on a busy machine the language model takes its time


@dataclass(frozen=True, slots=True)
class RoomCaption:
    """One segment of what somebody said; a newer one with the same id takes its place."""

    segment: str
    side: Literal["user", "agent"]
    text: str
    final: bool


class Person:
    """Somebody who has joined."""

    def __init__(self, name: str, tasks: TaskScope) -> None:
        self.diary = Diary(name)
        self.room = rtc.Room()
        self.heard = Recording(self.diary)
        self.captions: dict[str, RoomCaption] = {}
        self.attributes: list[tuple[float, str, str]] = []
        self.agents: list[str] = []
        self._microphone = Microphone()
        self._tasks = tasks

    def said(self, side: Literal["user", "agent"]) -> list[str]:
        """The final captions of one side, in order."""
        return [caption.text for caption in self.captions.values() if caption.side == side and caption.final]

    async def captioned(self, side: Literal["user", "agent"]) -> str:
        """The newest final caption of one side, as soon as there is one: it comes beside the sound, not with it."""
        return (await self.diary.until(lambda: self.said(side), CAPTION_S, f"a caption of the {side}"))[-1]

    def told(self, name: str) -> list[str]:
        """All values that an attribute of the agent has had, in order."""
        return [value for _, changed, value in self.attributes if changed == name]

    async def greeted(self) -> None:
        """Return when the agent is there, has greeted, and listens."""
        await self.diary.until(lambda: self.heard.stretches and not self.heard.sounds, READY_S, "a greeting")

    async def ask(self, question: Sound) -> Sound:
        """Say something, and return the answer when it has been heard to its end."""
        spoken = self._microphone.say(question)
        ended = await spoken.ended
        await self.answered(ended)
        return self.heard.since(ended)

    async def answered(self, since: float) -> None:
        """Return when something was said after that moment, and is over."""

        def over() -> bool:
            last = self.heard.stretches[-1:]
            return bool(last) and last[0].ended > since and not self.heard.sounds and self.state == "listening"

        await self.diary.until(over, ANSWER_S, "an answer")

    @property
    def state(self) -> str:
        """The agent's newest `aura.state`; watching is listening with a camera on."""
        newest = next(reversed(self.told("aura.state")), "")
        return "listening" if newest == "watching" else newest

    def say(self, sound: Sound) -> tuple[asyncio.Future[float], asyncio.Future[float]]:
        """Begin to say it; returns when its first and its last sample leave, on the loop's clock."""
        utterance = self._microphone.say(sound)
        return utterance.began, utterance.ended

    async def type(self, text: str) -> None:
        self.diary.note(f"types {text!r}")
        await self.room.local_participant.send_text(text, topic=CHAT)

    async def film(self, camera: FilmingCamera | None = None) -> None:
        """Turn a camera on; unless another one is given, it films a clock."""
        camera = camera or ClockCamera()
        track = rtc.LocalVideoTrack.create_video_track("camera", camera.source)
        encoding = rtc.VideoEncoding(max_framerate=FRAMES_PER_S, max_bitrate=1_000_000)
        options = rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_CAMERA, simulcast=False, video_encoding=encoding
        )
        self._tasks.start(camera.run(), "camera")
        await self.room.local_participant.publish_track(track, options)

    async def enter(self, grant: Grant) -> None:
        self.room.on("track_subscribed", self._on_track)
        self.room.on("participant_connected", self._on_arrival)
        self.room.on("participant_disconnected", lambda someone: self.diary.note(f"{someone.identity} leaves"))
        self.room.on("participant_attributes_changed", self._on_attributes)
        self.room.on("disconnected", lambda reason: self.diary.note(f"disconnected: {reason}"))
        self.room.register_text_stream_handler(CAPTIONS, self._on_caption)
        await self.room.connect(grant.url, grant.token)
        self.diary.note(f"joined {self.room.name}")
        for someone in self.room.remote_participants.values():
            self._on_arrival(someone)
            self._on_attributes(someone.attributes, someone)
        track = rtc.LocalAudioTrack.create_audio_track("microphone", self._microphone.source)
        self._tasks.start(self._microphone.run(), "microphone")
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        await self.room.local_participant.publish_track(track, options)

    def _on_arrival(self, someone: rtc.RemoteParticipant) -> None:
        self.diary.note(f"{someone.identity} is there")
        if someone.kind == AGENT:
            self.agents.append(someone.identity)

    def _on_track(self, track: rtc.Track, _: rtc.RemoteTrackPublication, someone: rtc.RemoteParticipant) -> None:
        if track.kind == rtc.TrackKind.KIND_AUDIO and someone.kind == AGENT:
            self._tasks.start(self.heard.listen(track), "recording")

    def _on_attributes(self, changed: dict[str, str], someone: rtc.Participant) -> None:
        now = asyncio.get_running_loop().time()
        for name, value in changed.items():
            if name.startswith("aura."):
                self.attributes.append((now, name, value))
                self.diary.note(f"{name} = {value}")

    def _on_caption(self, reader: rtc.TextStreamReader, identity: str) -> None:
        self._tasks.start(self._read_caption(reader, identity), "caption")

    async def _read_caption(self, reader: rtc.TextStreamReader, identity: str) -> None:
        attributes = reader.info.attributes or {}
        side: Literal["user", "agent"] = "user" if identity == self.room.local_participant.identity else "agent"
        segment = attributes.get("lk.segment_id", reader.info.stream_id)
        text = ""
        try:
            async for piece in reader:
                text += piece
                self._caption(RoomCaption(segment, side, text, final=False))
        except rtc.StreamError:
            self.diary.note("a caption broke off")
        # A person's caption says whether it is final; an agent's is when its stream has ended.
        final = side == "agent" or attributes.get("lk.transcription_final") == "true"
        self._caption(RoomCaption(segment, side, text, final))

    def _caption(self, caption: RoomCaption) -> None:
        before = self.captions.get(caption.segment)
        if not (before and before.final):  # each is a stream of its own, and they may be read out of order
            self.captions[caption.segment] = caption
        self.diary.note(f"caption {caption.side}{'' if caption.final else ' …'} {caption.text!r}")


@asynccontextmanager
async def joined(name: str, grant: Grant, *, camera: bool = False) -> AsyncGenerator[Person]:
    """Somebody in a room for as long as the context lasts."""
    async with task_scope() as tasks:
        person = Person(name, tasks)
        async with visit(name, person.room, person.diary):
            await person.enter(grant)
            if camera:
                await person.film()
            yield person
