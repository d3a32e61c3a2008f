"""The page without models: its own web server, a real LiveKit server, and an agent that does what a test says.

    async with scripted_page(Path(environ["AURA_HOME"]), tmp_path) as scripted, chromium(tmp_path) as page:
        async with scripted.agent("hall") as agent:  # it may be there before or come after the page
            await page.open(f"{scripted.url}?room=hall&autostart=1&camera=0")
            await agent.met()  # the page's person is in the room
            await agent.tell(**{"aura.state": "thinking"})
            await agent.says("user", "Where is Rome?")
            await agent.says("agent", "In *Italy*.")
            await agent.decided("turn", reason="words", sound_ms=900, since_pause_ms=350)
            await agent.timed(endpointing=350, asr=90, aura=400, tts=200)
            await agent.sounds(voice.say("In Italy."))

It takes seconds to start and loads no model. The fixture `scripted` of `tests/e2e/conftest.py` is one for all tests.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

from livekit import api, rtc

from infra.bench.base.speech import Sound
from infra.bench.person.microphone import Microphone
from infra.bench.person.person import CAPTIONS
from infra.bench.person.task_scope import TaskScope, task_scope
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.own_livekit import OwnLiveKit, own_livekit
from tests.e2e.stack import POLL_S, ROOT
from tests.served import KEY, served

MET_S = 30.0
CHAT = "lk.chat"
# What an agent that reaches its pipeline, which cannot see, says of itself.
THERE = {"aura.agent": "1", "aura.connection": "a-token", "aura.sees": "no", "aura.state": "listening"}


class ScriptedAgent:
    """The agent of one room; it decides nothing itself.

    Attributes:
        room: What it has joined; whatever else a test needs of LiveKit is there.
        read: What was typed to it.
        shown: The sources of the tracks that it has been given.
    """

    def __init__(self, room: rtc.Room, tasks: TaskScope) -> None:
        self.room = room
        self.read: asyncio.Queue[str] = asyncio.Queue()
        self.shown: asyncio.Queue[int] = asyncio.Queue()
        room.register_text_stream_handler(CHAT, lambda reader, _: tasks.start(self._take(reader), "a typed line"))
        room.on("track_subscribed", lambda _, publication, __: self.shown.put_nowait(publication.source))
        self._tasks = tasks
        self._microphone: Microphone | None = None
        self._numbers = count(1)

    async def met(self) -> str:
        """Return the identity of the person as soon as they are there."""
        async with asyncio.timeout(MET_S):
            while not (there := list(self.room.remote_participants)):
                await asyncio.sleep(POLL_S)
        return there[0]

    async def tell(self, **attributes: str) -> None:
        """Say something of itself: attributes of its participant, such as `**{"aura.state": "speaking"}`."""
        await self.room.local_participant.set_attributes(attributes)

    async def says(
        self, side: Literal["user", "agent"], text: str, *, final: bool = True, segment: str | None = None
    ) -> str:
        """Caption what one side says, and return the segment: a newer text of the same one takes its place."""
        segment = segment or f"segment-{next(self._numbers)}"
        writer = await self.room.local_participant.stream_text(
            topic=CAPTIONS,
            attributes={"lk.segment_id": segment, "lk.transcription_final": str(final).lower()},
            sender_identity=await self.met() if side == "user" else None,
        )
        await writer.write(text)
        await writer.aclose()
        return segment

    async def decided(self, what: str, text: str = "", *, reason: str = "", **figures: float | str) -> None:
        """Tell a decision, as `AgentStatePublisher.decided` does."""
        decision = {"at_ms": self._at_ms(), "what": what, "reason": reason, "text": text, "figures": figures}
        await self.tell(**{"aura.decision": json.dumps(decision)})

    async def timed(self, **waited_ms: int) -> None:
        """Tell what was waited for in an answer's stages, as `AgentStatePublisher.timed` does."""
        total_ms = sum(waited_ms.values())
        timings = {
            "at_ms": self._at_ms(),
            "response_id": f"resp_{next(self._numbers)}",
            "speech_end_to_first_audio_ms": total_ms,
            "create_to_first_audio_ms": total_ms - waited_ms.get("endpointing", 0),
            "waited_ms": waited_ms,
            "took_ms": {},
        }
        await self.tell(**{"aura.timings": json.dumps(timings)})

    async def sounds(self, sound: Sound) -> None:
        """Play something, and return when its last sample has left; 16-bit samples at the rate of `speech.RATE`."""
        if self._microphone is None:
            self._microphone = Microphone()
            track = rtc.LocalAudioTrack.create_audio_track("voice", self._microphone.source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
            await self.room.local_participant.publish_track(track, options)
            self._tasks.start(self._microphone.run(), "voice")
        await self._microphone.say(sound).ended

    async def _take(self, reader: rtc.TextStreamReader) -> None:
        self.read.put_nowait(await reader.read_all())

    def _at_ms(self) -> int:
        return round(asyncio.get_running_loop().time() * 1000)


@dataclass(frozen=True, slots=True)
class ScriptedPage:
    """Where the page is, and who else can be in its rooms.

    Attributes:
        url: With a slash at its end.
        feedback: The file of what people thought of their calls.
    """

    url: str
    livekit: OwnLiveKit
    feedback: Path

    @asynccontextmanager
    async def agent(self, room: str, **attributes: str) -> AsyncGenerator[ScriptedAgent]:
        """An agent in that room for as long as the context lasts.

        Args:
            attributes: What it says of itself beside that it is there, or in place of it.
        """
        grant = self.livekit.grant(room, "agent-scripted", kind="agent", can_update_own_metadata=True)
        async with task_scope() as tasks:
            joined = rtc.Room()
            agent = ScriptedAgent(joined, tasks)
            await joined.connect(grant.url, grant.token)
            try:
                await agent.tell(**{**THERE, **attributes})
                yield agent
            finally:
                await joined.disconnect()

    async def end(self, room: str) -> None:
        """Have the server end a room: the call of the page in it breaks off."""
        async with self.livekit.server() as server:
            await server.room.delete_room(api.DeleteRoomRequest(room=room))


@asynccontextmanager
async def scripted_page(home: Path, folder: Path, **environ: str) -> AsyncGenerator[ScriptedPage]:
    """Run the servers for as long as the context lasts.

    Args:
        home: The installation whose `livekit-server` runs.
        folder: For logs.
        environ: More of it for the web server.
    """
    port, log = choose_ports({}).web, folder / "web.log"
    argv: list[str | Path] = [
        sys.executable,
        "-m",
        "agent.main",
        "web",
        "--port",
        str(port),
        "--static",
        ROOT / "frontend" / "dist",
    ]
    async with served(max_sessions=16) as pipeline, own_livekit(home, folder) as livekit:
        ours = {
            "PYTHONPATH": str(ROOT),
            "AURA_HOME": str(folder),
            "AURA_PIPELINE_URL": pipeline.url,
            "AURA_PIPELINE_KEY": KEY,
            "AURA_WEB_FEEDBACK": str(folder / "feedback.jsonl"),
            "LIVEKIT_URL": livekit.settings.url,
            "LIVEKIT_API_KEY": livekit.settings.api_key,
            "LIVEKIT_API_SECRET": livekit.settings.api_secret,
        }
        bare = {name: value for name, value in os.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))}
        async with child(argv, cwd=folder, env={**bare, **ours, **environ}, log=log, stop_s=STOP_S):
            await healthy(f"http://{LOOPBACK}:{port}/health", log)
            page = ScriptedPage(f"http://{LOOPBACK}:{port}/", livekit, folder / "feedback.jsonl")
            yield page
            for room in await livekit.rooms():  # for whose people the server would wait when it is told to stop
                await page.end(room)
