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
        return

    async def publish(attributes: dict[str, str]) -> None:
        if ctx.room.isconnected():
            await ctx.room.local_participant.set_attributes(attributes)

    async def written(_: object, event: TextInputEvent) -> None:
        await call.write(event.text)

    async def ended(reason: str) -> None:
        await call.aclose()
        if reason == GONE:  # who comes later finds a new room, and with it an agent
            await rooms.end(settings.livekit, room)

    room = ctx.job.room.name
    turns = TURNS["browser"]
    call = Call(settings.pipeline, AURA, turns, publish, recalled=failover_metadata(ctx.job.metadata))
    call.session.on("close", lambda _: ctx.shutdown("the session is closed"))
    ctx.add_shutdown_callback(ended)
    options = RoomOptions(
        audio_input=AudioInputOptions(sample_rate=24_000, auto_gain_control=False),  # it clips the first words
        audio_output=AudioOutputOptions(sample_rate=24_000, track_name="aura"),
        video_input=turns.camera,
        text_input=TextInputOptions(text_input_cb=written),
        close_on_disconnect=False,  # it would leave a deaf agent to whoever comes back
    )
    await call.start(room=ctx.room, room_options=options, session_host=False)

    def joined(identity: str) -> None:
        call.pick_up()
        call.session.room_io.set_participant(identity)

    presence = Presence(
        joined=joined,
        left=call.hang_up,
        gone=lambda: ctx.shutdown(GONE),
        grace_s=settings.grace_s,
    )
    presence.watch(ctx.room)
    logger.info("call begun", extra={"room": ctx.room.name})
