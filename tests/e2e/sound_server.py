"""A sound server with a loudspeaker, a microphone that hears it, and a person: PulseAudio without a sound card."""

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import RATE, Sound

ECHO_S = 0.08
ECHO_PERCENT = 30  # of what is played
START_S = 20.0
POLL_S = 0.05
LOUD = 1_000  # a sample of speech
SCRIPT = """
load-module module-native-protocol-unix socket={socket} auth-anonymous=1
load-module module-null-sink sink_name=ear rate={rate} channels=1 sink_properties=device.description=Ear
load-module module-null-sink sink_name=mouth rate={rate} channels=1 sink_properties=device.description=Mouth
load-module module-loopback source=ear.monitor sink=mouth latency_msec={echo_ms} sink_input_properties=media.name=echo
set-default-sink ear
set-default-source mouth.monitor
"""


class Ear:
    """Has heard what was played, as PCM16, mono."""

    def __init__(self) -> None:
        self.pcm = bytearray()

    @property
    def sound(self) -> Sound:
        return np.frombuffer(bytes(self.pcm[: len(self.pcm) // 2 * 2]), np.int16)

    async def hears_more(self) -> None:
        """Return when something is played, after all that was heard before."""
        heard = len(self.sound)
        while np.abs(self.sound[heard:].astype(np.int32)).max(initial=0) < LOUD:
            await asyncio.sleep(POLL_S)

    async def hears_no_more(self, rate: int, quiet_s: float = 1.0) -> None:
        """Return when nothing has been played for so long."""
        while np.abs(self.sound[-round(rate * quiet_s) :].astype(np.int32)).max(initial=0) >= LOUD:
            await asyncio.sleep(POLL_S)


class SoundServer:
    """What is played on `Ear` is also heard, later and softer, by the microphone, which is `Monitor of Mouth`."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ

    async def say(self, sound: Sound) -> None:
        """The person says it. Returns when it has been said."""
        await self._pulse("pacat", "--playback", "--device=mouth", *_format(RATE), typed=sound.tobytes())

    async def set_echo(self, percent: int) -> None:
        listed = await self._pulse("pactl", "list", "short", "sink-inputs")
        (echo,) = [line.split()[0] for line in listed.splitlines() if "module-loopback" in line]
        await self._pulse("pactl", "set-sink-input-volume", echo, f"{percent}%")

    @asynccontextmanager
    async def listening(self, rate: int) -> AsyncGenerator[Ear]:
        """Keep what is played meanwhile."""
        ear = Ear()
        recorder = await asyncio.create_subprocess_exec(
            "pacat", "--record", "--device=ear.monitor", *_format(rate), env=dict(self.environ), stdout=PIPE
        )
        assert recorder.stdout
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(_read(recorder.stdout, ear.pcm), name="ear")
                yield ear
                reading.cancel()
        finally:
            recorder.kill()
            await recorder.wait()

    async def _pulse(self, *argv: str, typed: bytes = b"") -> str:
        process = await asyncio.create_subprocess_exec(
            *argv, env=dict(self.environ), stdin=PIPE, stdout=PIPE, stderr=STDOUT
        )
        said, _ = await process.communicate(typed)
        assert process.returncode == 0, f"{argv}: {said.decode()}"
        return said.decode()


@asynccontextmanager
async def sound_server(folder: Path) -> AsyncGenerator[SoundServer]:
    """One of its own, from here until the context ends."""
    if not shutil.which("pulseaudio"):
        pytest.skip("pulseaudio is missing; on Debian: apt-get install pulseaudio")
    socket = folder / "native"
    script = folder / "default.pa"
    script.write_text(SCRIPT.format(socket=socket, rate=RATE, echo_ms=round(ECHO_S * 1000)))
    environ = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PULSE_SERVER": f"unix:{socket}"}
    process = await asyncio.create_subprocess_exec(
        *("pulseaudio", "-n", "-F", str(script), "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"),
        *("--realtime=no", "--high-priority=no"),
        env=environ,
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    try:
        async with asyncio.timeout(START_S):
            while not socket.exists():
                assert process.returncode is None, f"pulseaudio ended with {process.returncode}"
                await asyncio.sleep(POLL_S)
        server = SoundServer(environ)
        await server.set_echo(ECHO_PERCENT)
        yield server
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _format(rate: int) -> tuple[str, ...]:
    return ("--raw", f"--rate={rate}", "--channels=1", "--format=s16le", "--latency-msec=20")


async def _read(stream: asyncio.StreamReader, heard: bytearray) -> None:
    while piece := await stream.read(4096):
        heard += piece
