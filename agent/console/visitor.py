"""A person who is in a room of a LiveKit server from a shell: heard and seen there, and told what goes on."""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from livekit import rtc

from agent.aio.background_tasks import OwnedTasks
from agent.console.audio import STEP_BYTES, STEP_S
from agent.console.camera import PICTURES_PER_S, FileCamera
from agent.console.console import ConsoleTranscript
from agent.console.errors import RoomError
from agent.console.room_speakers import RoomSpeakers
from agent.livekit.media import RATE
from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token

CAPTIONS, CHAT = "lk.transcription", "lk.chat"
AGENT = rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
BUSY = ("thinking", "speaking", "writing")
QUEUE_MS = 100  # of the microphone's sound, on its way out


class RoomVisitor:
    """Somebody in a room.

    Attributes:
        speakers: What is to be heard.
        left: Why the visit has ended, once it has.
    """

    def __init__(self, transcript: ConsoleTranscript, tasks: OwnedTasks) -> None:
        self._room, self._transcript, self._tasks = rtc.Room(), transcript, tasks
        self._agent_there = asyncio.Event()
        self._changed_at = self._now()
        self.speakers = RoomSpeakers()
        self.left: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def busy(self) -> bool:
        """Whether the agent is there, and speaks, writes or thinks."""
        return self._transcript.state in BUSY and not self.left.done()

    @property
    def quiet_s(self) -> float:
        """For how long the agent has not been busy."""
        return 0.0 if self._transcript.state in BUSY else self._now() - self._changed_at

    async def enter(self, url: str, token: str) -> None:
        """Raises RoomError: there is no such server, or it lets nobody in."""
        self._room.on("track_subscribed", self._on_track)
        self._room.on("participant_connected", self._on_arrival)
        self._room.on("participant_disconnected", self._on_departure)
        self._room.on("participant_attributes_changed", self._on_attributes)
        self._room.on("disconnected", self._on_disconnected)
        self._room.register_text_stream_handler(CAPTIONS, self._on_caption)
        try:
            await self._room.connect(url, token)
        except rtc.ConnectError as error:
            raise RoomError(f"no LiveKit server lets anybody in at {url}: {_without_token(error.message)}") from error
        for someone in self._room.remote_participants.values():
            self._on_arrival(someone)

    async def leave(self) -> None:
        await self._room.disconnect()

    async def meet_agent(self, within_s: float) -> None:
        """Return when the agent is there.

        Raises:
            RoomError: It does not come.
        """
        try:
            async with asyncio.timeout(within_s):
                await self._agent_there.wait()
        except TimeoutError:
            raise RoomError(f"no agent came into the room within {within_s:g} s: is a worker running?") from None

    def speak(self, microphone: AsyncIterator[rtc.AudioFrame]) -> None:
        """Have what the microphone hears be heard in the room from now on."""
        self._tasks.start(self._speak(microphone), "room:microphone")

    def film(self, camera: FileCamera) -> None:
        """Show what the camera does from now on."""
        self._tasks.start(self._film(camera), "room:camera")

    def record(self, recording: bytearray) -> None:
        """Keep what is heard from now on, in place of a loudspeaker."""
        self._tasks.start(self._record(recording), "room:recorder")

    async def _speak(self, microphone: AsyncIterator[rtc.AudioFrame]) -> None:
        source = rtc.AudioSource(RATE, 1, queue_size_ms=QUEUE_MS)
        track = rtc.LocalAudioTrack.create_audio_track("microphone", source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        await self._room.local_participant.publish_track(track, options)
        async for frame in microphone:
            await source.capture_frame(frame)

    async def _film(self, camera: FileCamera) -> None:
        source = rtc.VideoSource(*camera.size)
        track = rtc.LocalVideoTrack.create_video_track("camera", source)
        encoding = rtc.VideoEncoding(max_framerate=PICTURES_PER_S, max_bitrate=1_000_000)
        options = rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_CAMERA, simulcast=False, video_encoding=encoding
        )
        await self._room.local_participant.publish_track(track, options)
        async for frame in camera:
            source.capture_frame(frame)

    async def _record(self, recording: bytearray) -> None:
        due = self._now()
        while True:
            due += STEP_S
            await asyncio.sleep(due - self._now())
            recording += self.speakers.take(STEP_BYTES)

    async def write(self, text: str) -> None:
        await self._room.local_participant.send_text(text, topic=CHAT)

    # What the room tells.

    def _on_arrival(self, someone: rtc.RemoteParticipant) -> None:
        if someone.kind == AGENT:
            self._agent_there.set()
            self._on_attributes(dict(someone.attributes), someone)
        self._transcript.say("room", f"{someone.name or someone.identity} is there")

    def _on_departure(self, someone: rtc.RemoteParticipant) -> None:
        if someone.kind == AGENT and not any(each.kind == AGENT for each in self._room.remote_participants.values()):
            self._transcript.state, self._changed_at = "", self._now()  # nobody does what it did
        self._transcript.say("room", f"{someone.name or someone.identity} has left")

    def _on_disconnected(self, reason: "rtc.DisconnectReason.ValueType") -> None:
        if not self.left.done():
            self.left.set_result(rtc.DisconnectReason.Name(reason))

    def _on_attributes(self, changed: dict[str, str], someone: rtc.Participant) -> None:
        if someone.kind == AGENT:
            if "aura.state" in changed:
                self._changed_at = self._now()
            self._tasks.start(self._transcript.publish(changed), "room:attributes")

    def _on_track(self, track: rtc.Track, _: rtc.RemoteTrackPublication, someone: rtc.RemoteParticipant) -> None:
        if track.kind == rtc.TrackKind.KIND_AUDIO:
            self._tasks.start(self._listen(track), f"room:{someone.identity}")

    async def _listen(self, track: rtc.Track) -> None:
        stream = rtc.AudioStream.from_track(track=track, sample_rate=RATE, num_channels=1)
        try:
            async for event in stream:
                self.speakers.play(track.sid, bytes(event.frame.data))
        finally:
            self.speakers.drop(track.sid)
            await stream.aclose()

    def _on_caption(self, reader: rtc.TextStreamReader, identity: str) -> None:
        self._tasks.start(self._read(reader, identity), "room:caption")

    async def _read(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Show what was said, when it has been: of the agent's a stream is all, of a person's the final one."""
        text = ""
        try:
            async for piece in reader:
                text += piece
        except rtc.StreamError:
            text += " —"  # its speaker has left
        speaker = self._room.remote_participants.get(identity)
        by_agent = speaker is not None and speaker.kind == AGENT
        if text.strip() and (by_agent or (reader.info.attributes or {}).get("lk.transcription_final") == "true"):
            mine = identity == self._room.local_participant.identity
            self._transcript.said("aura" if by_agent else "you" if mine else identity, text.strip())

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


@asynccontextmanager
async def visiting(
    livekit: LiveKitSettings,
    room: str,
    transcript: ConsoleTranscript,
    *,
    wait_s: float,
    camera: FileCamera | None = None,
) -> AsyncGenerator[RoomVisitor]:
    """Be in a room, with its agent, for as long as the context lasts.

    Raises:
        RoomError: Nobody is let in, or the agent does not come within `wait_s`.
    """
    tasks = OwnedTasks()
    visitor = RoomVisitor(transcript, tasks)
    asked = TokenRequest(room, participant_name="console", participant_identity=f"console-{secrets.token_hex(4)}")
    try:
        await visitor.enter(livekit.url, join_token(livekit, asked))
        await visitor.meet_agent(wait_s)
        if camera:
            visitor.film(camera)
        yield visitor
    finally:
        await visitor.leave()
        await tasks.aclose()


def _without_token(message: str) -> str:
    """What LiveKit says, without the token that it repeats."""
    return re.sub(r"eyJ[\w.-]+", "(the token)", message)
