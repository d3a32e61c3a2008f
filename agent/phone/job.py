"""The job of a phone call: joins its room, and ends with the call."""

import logging
import wave
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

from livekit import api, rtc
from livekit.agents import NOT_GIVEN, JobContext
from livekit.agents.voice.room_io import AudioInputOptions, AudioOutputOptions, RoomOptions

from agent.aio.guard import log_exceptions
from agent.call import Call
from agent.livekit.media import RATE
from agent.livekit.session_inspector import SessionInspector
from agent.persona.persona import ON_THE_PHONE
from agent.phone.call_record import CallRecord
from agent.phone.telephone import Telephone
from agent.phone.trunks import of_phone
from agent.records.call_recording import CallRecording
from agent.records.record_folder import utc_now
from agent.rooms.failover_metadata import begun_call, given_metadata
from agent.rooms.farewells import Leaving
from agent.rooms.history_seal import HistorySeal
from agent.rooms.people import by_arrival, in_room
from agent.rooms.rooms import FAILURES, hang_up
from agent.settings.agent import WorkerSettings
from agent.settings.phone import PhoneSettings
from agent.status.attributes import CONNECTION, HISTORY
from agent.tools.call_tools import Toolkit
from agent.tools.catalogue import load_tools
from agent.turns.endpointing import TURNS

logger = logging.getLogger(__name__)

STATUS = "sip.callStatus"
FOR_ANOTHER_AGENT = (CONNECTION, HISTORY)  # that has to take the call over
APOLOGY_PIECE = RATE // 50  # samples: 20 ms
LEFT: dict[int | None, str] = {  # why somebody is not there whom we ring up
    rtc.DisconnectReason.USER_UNAVAILABLE: "not answered",
    rtc.DisconnectReason.USER_REJECTED: "declined",
}


class PhoneCall:
    """The call of somebody on the phone: its conversation, its telephone, and the record of both.

    Args:
        caller: The identity of who is on the phone; empty: the first who comes. Other phones in the room, and people
            with browsers, are not listened to, and their room is not ended.
    """

    def __init__(self, settings: WorkerSettings, ctx: JobContext, leaving: Leaving, caller: str = "") -> None:
        self._livekit, self._ctx, self._leaving, self._caller = settings.livekit, ctx, leaving, caller
        self._record = record_of(ctx.room.name, ctx.room.creation_time, utc_now())
        persona, self._refused = settings.persona.persona(ON_THE_PHONE, given_metadata(ctx.job.metadata))
        recalled = begun_call(ctx.job.metadata)
        toolkit = Toolkit(settings.tools, load_tools(settings.tools), self)
        self._recording = CallRecording(settings.records, ctx.room.name, "phone") if settings.records else None
        self._call = Call(
            settings.pipeline,
            persona,
            TURNS["phone"],
            self,
            recalled=recalled,
            toolkit=toolkit,
            recording=self._recording,
            seal=HistorySeal(settings.livekit.api_secret, ctx.job.room.name),
        )
        speaker = _Speaker(self._call, settings.phone)
        self._telephone = Telephone(speaker, self, settings.phone, self._record, self._over)

    async def begin(self) -> None:
        """Returns when the call is set up."""
        self.watch(self._ctx.room)
        self._ctx.add_shutdown_callback(self._call.aclose)
        self._ctx.add_shutdown_callback(self._telephone.aclose)
        options = RoomOptions(
            audio_input=AudioInputOptions(
                sample_rate=RATE, frame_size_ms=TURNS["phone"].frame_ms, auto_gain_control=False
            ),
            audio_output=AudioOutputOptions(sample_rate=RATE, track_name="aura"),
            video_input=False,
            text_input=False,
            text_output=False,
            participant_kinds=[rtc.ParticipantKind.PARTICIPANT_KIND_SIP],
            participant_identity=self._caller or NOT_GIVEN,
            close_on_disconnect=False,
        )
        self._call.session.input.set_audio_enabled(False)
        inspector = SessionInspector(self._call.session, self._ctx.room)
        self._ctx.add_shutdown_callback(inspector.aclose)
        await self._call.start(greet=False, room=self._ctx.room, room_options=options, session_host=False)
        self._call.character.refuse(*self._refused)
        await inspector.start()
        if output := self._call.session.output.audio:
            output.on("playback_started", self._on_playback_started)
        logger.info("call begun", extra={"room": self._ctx.room.name})
        self._telephone.expect()
        for someone in by_arrival(self._ctx.room.remote_participants.values()):
            self._on_connected(someone)

    async def publish(self, attributes: dict[str, str]) -> None:
        """Nobody looks; but who calls another agent if this one dies reads what that one goes on with."""
        self._record.note(attributes)
        shown = {name: attributes[name] for name in FOR_ANOTHER_AGENT if name in attributes}
        if shown and self._ctx.room.isconnected():
            await self._ctx.room.local_participant.set_attributes(shown)

    def on_trouble(self, text: str) -> None:
        self._telephone.on_trouble(text)

    def on_frame(self) -> None:
        """A phone shows nothing."""

    @property
    def caller(self) -> str:
        return self._caller

    @property
    def on_phone(self) -> bool:
        return True

    async def leave(self) -> None:
        """The agent has said goodbye."""
        await self._telephone.end("ended by the agent")

    async def hang_up(self) -> None:
        """End the room, or take the caller out of a room that others are in."""
        room = self._ctx.room
        await hang_up(self._livekit, room.name, room.local_participant.identity, self._caller)

    async def transfer(self, to: str) -> bool:
        caller = next((one for one in self._ctx.room.remote_participants.values() if self._is_caller(one)), None)
        if caller is None:
            return False
        try:
            await self._ctx.transfer_sip_participant(caller, to)
        except FAILURES as error:
            code = error.code if isinstance(error, api.TwirpError) else type(error).__name__
            logger.warning("not put through", extra={"code": code})
            return False
        return True

    def _over(self, reason: str) -> None:
        if self._ctx.room.isconnected():
            self._leaving.on_purpose()  # there may be people who talk with each other
        self._ctx.shutdown(reason)

    def _is_caller(self, someone: rtc.Participant) -> bool:
        return someone.identity == self._caller and in_room(someone).role == "phone"

    def watch(self, room: rtc.Room) -> None:
        """Hear from now on what happens to the caller."""
        room.on("participant_attributes_changed", self._on_attributes)
        room.on("participant_connected", self._on_connected)
        room.on("participant_disconnected", self._on_disconnected)
        room.on("disconnected", self._on_room_closed)
        room.on("sip_dtmf_received", self._on_dtmf)

    @log_exceptions
    def _on_attributes(self, changed: dict[str, str], someone: rtc.Participant) -> None:
        if self._is_caller(someone) and (status := changed.get(STATUS)):
            self._telephone.on_status(status)

    def _on_connected(self, someone: rtc.RemoteParticipant) -> None:
        if not self._caller and in_room(someone).role == "phone":
            self._caller = someone.identity
        if self._recording and self._is_caller(someone):
            self._recording.met(someone.identity)
        self._on_attributes(someone.attributes, someone)

    @log_exceptions
    def _on_disconnected(self, someone: rtc.RemoteParticipant) -> None:
        if self._is_caller(someone):
            self._telephone.on_left(LEFT.get(someone.disconnect_reason, "hung up"))

    def _on_room_closed(self, _: object) -> None:
        self._telephone.on_left("the room was closed")

    def _on_dtmf(self, pressed: rtc.SipDTMF) -> None:
        if pressed.participant is None or self._is_caller(pressed.participant):
            self._telephone.on_key(pressed.digit)

    def _on_playback_started(self, _: object) -> None:
        self._record.heard_first()


class _Speaker:
    def __init__(self, call: Call, settings: PhoneSettings) -> None:
        self._call, self._apology = call, settings.apology

    def listen(self) -> None:
        self._call.session.input.set_audio_enabled(True)

    def greet(self) -> None:
        self._call.character.greet()

    def repeat(self) -> None:
        self._call.repeat()

    async def say(self, text: str) -> None:
        await self._call.session.interrupt(force=True)
        await self._call.session.say(text, allow_interruptions=False)

    async def apologise(self) -> None:
        if self._apology:
            self._call.session.interrupt(force=True)
            await self._call.session.say(
                "(all lines are busy)", audio=recording(self._apology), allow_interruptions=False
            )


def record_of(room: str, created: datetime, now: datetime) -> CallRecord:
    """The record of a call: in a room of ours, which is made for it, it began with the room, in any other one now."""
    began = created if of_phone(room) else now
    return CallRecord(room, began, (now - began).total_seconds())


async def recording(path: Path) -> AsyncIterator[rtc.AudioFrame]:
    """A WAV file (PCM16 mono) as frames."""
    with wave.open(str(path), "rb") as file:
        rate = file.getframerate()
        while pcm := file.readframes(APOLOGY_PIECE):
            yield rtc.AudioFrame(pcm, rate, 1, len(pcm) // 2)
