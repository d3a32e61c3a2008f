"""A room's job: joins it, talks with whoever is there, and ends when nobody is."""

import asyncio
import logging

import msgspec
from livekit.agents import NOT_GIVEN, JobContext
from livekit.agents.voice.room_io import (
    AudioInputOptions,
    AudioOutputOptions,
    RoomOptions,
    TextInputEvent,
    TextInputOptions,
)

from agent.aio.background_tasks import OwnedTasks
from agent.call import Call
from agent.cells.places import free_elsewhere
from agent.console.tool_call import ToolCall
from agent.floor.floor import FloorRules
from agent.livekit.session_inspector import SessionInspector
from agent.persona.persona import AURA
from agent.phone.job import PhoneCall
from agent.phone.trunks import of_phone
from agent.records.call_recording import CallRecording
from agent.rooms import rooms
from agent.rooms.early_streams import EarlyStreams
from agent.rooms.failover_metadata import FailoverMetadata, begun_call, failover_metadata, given_metadata
from agent.rooms.farewells import FarewellSender, Leaving
from agent.rooms.first_caller import caller_in, first_caller
from agent.rooms.frame_ticks import FrameTicks
from agent.rooms.history_seal import HistorySeal
from agent.rooms.people import Occupant
from agent.rooms.persona_desk import PersonaDesk
from agent.rooms.picture_desk import PictureDesk
from agent.rooms.presence import Presence
from agent.rooms.redispatch import Redispatch, another_agent
from agent.settings.agent import WorkerSettings
from agent.status.attributes import HISTORY
from agent.tools.call_tools import Toolkit
from agent.tools.catalogue import load_tools
from agent.turns.endpointing import TURNS
from agent.video.video_input import ShownVideo

logger = logging.getLogger(__name__)

GONE = "nobody is there"


async def take_call(settings: WorkerSettings, farewells: FarewellSender, ctx: JobContext) -> None:
    """Entry of a job process. Returns once the call is set up; the job lives until `ctx.shutdown`.

    Who came first decides what kind of call it is.
    """
    if ctx.is_fake_job():
        await ToolCall(settings, ctx).begin()
        return
    leaving, early = Leaving(ctx.room, farewells, ctx.job.id), EarlyStreams(ctx.room)
    await ctx.connect()
    await FirstCall(settings, ctx, leaving, early).begin()


class FirstCall:
    """Begins the call of the first who can talk with the agent."""

    def __init__(self, settings: WorkerSettings, ctx: JobContext, leaving: Leaving, early: EarlyStreams) -> None:
        self._settings, self._ctx, self._leaving, self._early = settings, ctx, leaving, early
        self._tasks = OwnedTasks()

    async def begin(self) -> None:
        """Returns when the call is set up, or somebody is waited for."""
        caller = caller_in(self._ctx.room)
        if caller or of_phone(self._ctx.job.room.name):  # whoever comes into such a room is on the phone
            await self._take(caller or Occupant("", "phone"))
        else:
            self._ctx.add_shutdown_callback(self._tasks.aclose)
            self._tasks.start(self._wait(), "job:first caller")  # LiveKit ends no job that is being set up

    async def _wait(self) -> None:
        try:
            if caller := await first_caller(self._ctx.room, self._settings.grace_s):
                await self._take(caller)
                return
            self._ctx.add_shutdown_callback(EmptyRoom(self._settings, self._ctx).end)
            self._ctx.shutdown(GONE)
        except Exception:
            logger.exception("the call could not be set up")
            self._ctx.shutdown("the call could not be set up")

    async def _take(self, caller: Occupant) -> None:
        self._early.let_go()
        if caller.role == "phone":
            await PhoneCall(self._settings, self._ctx, self._leaving, caller.identity).begin()
        else:
            await RoomCall(self._settings, self._ctx, caller.identity, self._leaving).begin()
        self._early.replay()


class EmptyRoom:
    """A room that nobody is in any more: who comes later finds a new one, and with it an agent."""

    def __init__(self, settings: WorkerSettings, ctx: JobContext) -> None:
        self._livekit, self._ctx = settings.livekit, ctx

    async def end(self, reason: str) -> None:
        """The job ends, for whatever reason."""
        if reason == GONE:
            await rooms.end(self._livekit, self._ctx.job.room.name, self._ctx.local_participant_identity)


class RoomCall:
    """The call of whoever comes into a room with a browser."""

    def __init__(
        self, settings: WorkerSettings, ctx: JobContext, caller: str = "", leaving: Leaving | None = None
    ) -> None:
        self._settings, self._ctx, self._caller, self._leaving = settings, ctx, caller, leaving
        self._turns = TURNS["browser"]
        metadata, floor = given_metadata(ctx.job.metadata), FloorRules(per_minute=settings.remarks_per_minute)
        persona, self._refused = settings.persona.persona(AURA, metadata)
        recalled = begun_call(ctx.job.metadata)
        there = settings.persona.catalogue(AURA, persona)
        toolkit = Toolkit(settings.tools, load_tools(settings.tools), self)
        self._recording = CallRecording(settings.records, ctx.room.name, "browser") if settings.records else None
        self._call = Call(
            settings.pipeline,
            persona,
            self._turns,
            self,
            recalled=recalled,
            floor=floor,
            catalogue=there,
            toolkit=toolkit,
            recording=self._recording,
            seal=HistorySeal(settings.livekit.api_secret, ctx.job.room.name),
        )
        self._desk = PersonaDesk(self._call.character, settings.persona.strangers)
        self._pictures, self._ticks = PictureDesk(self._call), FrameTicks(ctx.room)
        self._greeted = False
        self._call.session.on("close", self._on_close)
        self._presence = Presence(self, grace_s=settings.grace_s)
        self._video = ShownVideo(ctx.room)
        self._had_line, self._history = False, ""
        self._redispatch, self._tasks = Redispatch(self, self._free_elsewhere), OwnedTasks()
        self._looks: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Returns when the call is set up."""
        self._ctx.add_shutdown_callback(self._on_shutdown)
        self._ctx.add_shutdown_callback(EmptyRoom(self._settings, self._ctx).end)
        options = RoomOptions(
            audio_input=AudioInputOptions(
                sample_rate=24_000,
                frame_size_ms=self._turns.frame_ms,
                auto_gain_control=False,  # it clips the first words
            ),
            audio_output=AudioOutputOptions(sample_rate=24_000, track_name="aura"),
            video_input=False,  # ours knows which of camera and screen it shows
            text_input=TextInputOptions(text_input_cb=self._on_written),
            participant_identity=self._caller or NOT_GIVEN,
            close_on_disconnect=False,  # it would leave a deaf agent to whoever comes back
        )
        self._video.watch()
        self._call.session.input.video = self._video
        inspector = SessionInspector(self._call.session, self._ctx.room)
        self._ctx.add_shutdown_callback(inspector.aclose)
        await self._call.start(
            greet=False, room=self._ctx.room, room_options=options, session_host=False
        )  # for anybody
        await inspector.start()
        self._call.character.refuse(*self._refused)
        self._desk.watch(self._ctx.room)
        self._pictures.watch(self._ctx.room)
        self._presence.watch(self._ctx.room)
        logger.info("call begun", extra={"room": self._ctx.room.name})

    async def publish(self, attributes: dict[str, str]) -> None:
        self._history = attributes.get(HISTORY, self._history)
        if self._ctx.room.isconnected():
            await self._ctx.room.local_participant.set_attributes(attributes)

    def on_trouble(self, text: str) -> None:
        """The page shows it: it is among the attributes, too. Who has had no place yet may find one in another cell."""
        self._had_line = self._had_line or not text
        if self.waits and self._settings.cells and self._looks is None:
            self._looks = self._tasks.start(self._redispatch.run(), "call:another cell")

    @property
    def waits(self) -> bool:
        return not self._had_line

    async def call_another(self) -> str:
        metadata, room = self._ctx.job.metadata, self._ctx.room
        so_far = failover_metadata(metadata) or FailoverMetadata(given=metadata)
        waiting = msgspec.structs.replace(so_far, history=self._history or so_far.history, if_place=True)
        return await rooms.call_another(self._settings.livekit, room.name, room.local_participant.identity, waiting)

    async def call_off(self, dispatch: str) -> None:
        await rooms.call_off(self._settings.livekit, self._ctx.room.name, dispatch)

    async def another_came(self) -> None:
        await another_agent(self._ctx.room)

    def yield_to_another(self) -> None:
        if self._leaving:
            self._leaving.on_purpose()
        self._ctx.shutdown("another cell has the call")

    async def _free_elsewhere(self) -> int:
        return await free_elsewhere(self._settings.pipeline.url, self._settings.cells)

    def on_frame(self) -> None:
        self._ticks.tick()

    @property
    def caller(self) -> str:
        return self._caller

    @property
    def on_phone(self) -> bool:
        return False

    async def leave(self) -> None:
        """End the room, or leave it to the others that are in it."""
        if self._leaving:
            self._leaving.on_purpose()
        room = self._ctx.room
        await rooms.end(self._settings.livekit, room.name, room.local_participant.identity, with_caller=True)
        self._ctx.shutdown("the agent ended the call")

    async def transfer(self, to: str) -> bool:
        """A browser cannot be put through."""
        return False

    def on_joined(self, identity: str) -> None:
        if identity != self._caller:
            self._call.spoken.near.forget()
        self._caller = identity
        if self._recording:
            self._recording.met(identity)
        self._call.pick_up()
        self._call.session.room_io.set_participant(identity)
        self._video.follow(identity)
        self._desk.serve(identity)
        self._pictures.serve(identity)
        self._ticks.follow(identity)
        if not self._greeted:
            self._greeted = True
            self._call.character.greet()

    def on_left(self) -> None:
        self._call.hang_up()

    def on_gone(self) -> None:
        self._ctx.shutdown(GONE)

    def _on_close(self, _: object) -> None:
        self._ctx.shutdown("the session is closed")

    async def _on_written(self, _: object, event: TextInputEvent) -> None:
        await self._call.write(event.text)

    async def _on_shutdown(self) -> None:
        await self._tasks.aclose()
        await self._desk.aclose()
        await self._pictures.aclose()
        await self._ticks.aclose()
        await self._call.aclose()
        await self._video.aclose()
