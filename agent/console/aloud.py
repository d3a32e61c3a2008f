"""A conversation through microphone and loudspeakers, without a room."""

import asyncio
from contextlib import aclosing
from time import time  # noqa: TID251 - LiveKit stamps its events with the wall clock

from livekit.agents import CloseEvent
from livekit.agents.voice import io
from livekit.agents.voice.transcription import TranscriptSynchronizer

from agent.call import Call
from agent.console.console import ConsoleTranscript, check_connection, console_turns
from agent.console.echo import EchoCancellation, EchoFreeSound
from agent.console.errors import SoundCardError
from agent.console.loudspeaker import Loudspeaker
from agent.console.microphone import CardMicrophone
from agent.console.sound_card import SoundCard
from agent.console.terminal import Terminal, meter
from agent.livekit.connection import ConnectPipeline
from agent.persona.persona import AURA
from agent.settings.agent import PipelineSettings
from agent.status.call_log import CallLog
from agent.tools.call_tools import Toolkit
from pipeline.realtime.client import connect

METER_S = 0.1
STALLED_S = 3.0  # without a sound from the card, not even silence


async def converse_aloud(
    pipeline: PipelineSettings,
    card: SoundCard,
    canceller: EchoCancellation | None,
    terminal: Terminal,
    *,
    camera: io.VideoInput | None = None,
    connect: ConnectPipeline = connect,
    log: CallLog | None = None,
    toolkit: Toolkit | None = None,
) -> int:
    """Talk until the session is closed, or cancelled.

    Returns:
        The exit status: 0.

    Raises:
        PipelineError: There is nobody to talk to.
        SoundCardError: There is nothing to talk through, or it is gone.
    """
    await check_connection(pipeline, connect)
    transcript = ConsoleTranscript(terminal, filmed=camera is not None, log=log)
    call = Call(pipeline, AURA, console_turns(camera), transcript, connect=connect, toolkit=toolkit)
    call.session.on("conversation_item_added", transcript.on_item)
    microphone, loudspeaker = CardMicrophone(), Loudspeaker(time)
    synchronizer = TranscriptSynchronizer(next_in_chain_audio=loudspeaker, next_in_chain_text=None)
    call.session.input.audio, call.session.input.video = microphone, camera
    call.session.output.audio = synchronizer.audio_output
    call.session.output.transcription = synchronizer.text_output
    over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    call.session.on("close", _Ending(over).on_close)
    async with aclosing(synchronizer), aclosing(call), card.open(EchoFreeSound(loudspeaker, microphone, canceller)):
        await call.start()
        await show_level(microphone, transcript, terminal, over)
    return 0


class _Ending:
    """Says that LiveKit has closed the session."""

    def __init__(self, over: "asyncio.Future[str]") -> None:
        self._over = over

    def on_close(self, event: CloseEvent) -> None:
        if not self._over.done():
            self._over.set_result(event.reason.value)


async def show_level(
    microphone: CardMicrophone, transcript: ConsoleTranscript, terminal: Terminal, over: "asyncio.Future[str]"
) -> None:
    """Show how loud the microphone hears, and what the agent does, until the conversation is over.

    Raises:
        SoundCardError: The microphone has fallen silent.
    """
    loop = asyncio.get_running_loop()
    microphone.heard_at = loop.time()
    try:
        while not over.done():
            if loop.time() - microphone.heard_at > STALLED_S:
                raise SoundCardError(f"the sound card has given nothing for {STALLED_S:g} s: was it unplugged?")
            terminal.status(f"{meter(microphone.level_db)}  {transcript.state}")
            await asyncio.sleep(METER_S)
    finally:
        terminal.close()
