"""A room's job: joins it, talks with whoever is there, and ends when nobody is."""

import logging

from livekit.agents import JobContext
from livekit.agents.voice.room_io import (
    AudioInputOptions,
    AudioOutputOptions,
    RoomOptions,
    TextInputEvent,
    TextInputOptions,
)

from agent.call import Call
from agent.persona import AURA
from agent.phone.job import take_phone_call
from agent.phone.trunks import of_phone
from agent.rooms import rooms
from agent.rooms.failover_metadata import failover_metadata
from agent.rooms.presence import Presence
from agent.settings.agent import WorkerSettings
from agent.turns.endpointing import TURNS

logger = logging.getLogger(__name__)

GONE = "nobody is there"


async def take_call(settings: WorkerSettings, ctx: JobContext) -> None:
    """Entry of a job process. Returns once the call is set up; the job lives until `ctx.shutdown`."""
    if of_phone(ctx.job.room.name):
        await take_phone_call(settings, ctx)
    else:
        await RoomCall(settings, ctx).begin()


class RoomCall:
    """The call of whoever comes into a room with a browser."""

    def __init__(self, settings: WorkerSettings, ctx: JobContext) -> None:
        self._settings, self._ctx = settings, ctx
        self._turns = TURNS["browser"]
        self._call = Call(settings.pipeline, AURA, self._turns, self, recalled=failover_metadata(ctx.job.metadata))
        self._call.session.on("close", self._on_close)
        self._presence = Presence(self, grace_s=settings.grace_s)

    async def begin(self) -> None:
        """Returns when the call is set up."""
        self._ctx.add_shutdown_callback(self._on_shutdown)
        options = RoomOptions(
            audio_input=AudioInputOptions(
                sample_rate=24_000,
                frame_size_ms=self._turns.frame_ms,
                auto_gain_control=False,  # it clips the first words
            ),
            audio_output=AudioOutputOptions(sample_rate=24_000, track_name="aura"),
            video_input=self._turns.camera,
            text_input=TextInputOptions(text_input_cb=self._on_written),
            close_on_disconnect=False,  # it would leave a deaf agent to whoever comes back
        )
        await self._call.start(room=self._ctx.room, room_options=options, session_host=False)
        self._presence.watch(self._ctx.room)
        logger.info("call begun", extra={"room": self._ctx.room.name})

    async def publish(self, attributes: dict[str, str]) -> None:
        if self._ctx.room.isconnected():
            await self._ctx.room.local_participant.set_attributes(attributes)

    def on_trouble(self, text: str) -> None:
        """The page shows it: it is among the attributes, too."""

    def on_joined(self, identity: str) -> None:
        self._call.pick_up()
        self._call.session.room_io.set_participant(identity)

    def on_left(self) -> None:
        self._call.hang_up()

    def on_gone(self) -> None:
        self._ctx.shutdown(GONE)

    def _on_close(self, _: object) -> None:
        self._ctx.shutdown("the session is closed")

    async def _on_written(self, _: object, event: TextInputEvent) -> None:
        await self._call.write(event.text)

    async def _on_shutdown(self, reason: str) -> None:
        await self._call.aclose()
        if reason == GONE:  # who comes later finds a new room, and with it an agent
            await rooms.end(self._settings.livekit, self._ctx.job.room.name)
