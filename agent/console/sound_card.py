"""The sound card: which microphones and loudspeakers there are, and one of each, opened together.

miniaudio speaks to PulseAudio, PipeWire, ALSA and CoreAudio by itself: no system package is needed.
"""

import os
import sys
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from agent.console.echo import SoundExchange
from agent.console.errors import NoSoundDevice, SoundCardError
from agent.livekit.media import RATE

PERIOD_MS = 20
APPLICATION = "AURA"
BACKENDS = ("COREAUDIO", "PULSEAUDIO", "ALSA")  # the first that has devices
DISCARDS = "Discard all samples"  # ALSA's name for its `null`, which is there without any card

NO_SOUND_CARD = """\
there is no sound card here that can be used. Other ways to talk:
  aura-agent console --wav question.wav answer.wav   speak a recording, and record the answer
  aura-agent console --text                          talk in writing
  the page, with the microphone of the machine that shows it: infra/up prints its address"""
NO_LIBRARY = """\
microphone and loudspeakers need the package miniaudio, which has no build for this machine and Python;
with a C compiler it can be made here: uv pip install miniaudio"""

Kind = Literal["input", "output"]


class SoundCard(Protocol):
    """Plays and hears."""

    def open(self, sound: SoundExchange) -> AbstractAsyncContextManager[None]:
        """Exchange sound for as long as the context lasts.

        Raises:
            SoundCardError: It cannot be opened.
        """
        ...


@dataclass(frozen=True, slots=True)
class SoundDevice:
    """One microphone or loudspeaker; `handle` is miniaudio's."""

    name: str
    handle: Any


@dataclass(frozen=True, slots=True)
class SoundDevices:
    """All that there are."""

    backend: Any
    inputs: tuple[SoundDevice, ...]
    outputs: tuple[SoundDevice, ...]

    def __str__(self) -> str:
        return "\n".join([*_lines("input", self.inputs), *_lines("output", self.outputs)])


@dataclass(frozen=True, slots=True)
class MiniaudioCard:
    """A microphone and a loudspeaker; without a name, those that the system takes."""

    devices: SoundDevices
    input_device: SoundDevice | None = None
    output_device: SoundDevice | None = None

    @asynccontextmanager
    async def open(self, sound: SoundExchange) -> AsyncGenerator[None]:
        miniaudio = _miniaudio()
        pcm = miniaudio.SampleFormat.SIGNED16
        try:
            stream = miniaudio.DuplexStream(
                pcm,
                1,
                pcm,
                1,
                sample_rate=RATE,
                buffersize_msec=PERIOD_MS,
                playback_device_id=self.output_device and self.output_device.handle,
                capture_device_id=self.input_device and self.input_device.handle,
                backends=[self.devices.backend],
                app_name=APPLICATION,
            )
            with stream:
                blocks = _blocks(sound)
                next(blocks)
                stream.start(blocks)
                yield
        except miniaudio.MiniaudioError as error:
            raise SoundCardError(f"the sound card cannot be opened: {error}") from error


def sound_devices() -> SoundDevices:
    """Return what microphones and loudspeakers there are.

    Raises:
        NoSoundDevice: There is none of the one or of the other, or no library to ask with.
    """
    miniaudio = _miniaudio()
    enabled = miniaudio.get_enabled_backends()
    for name in BACKENDS:
        backend = miniaudio.Backend[name]
        if backend not in enabled:
            continue
        try:
            with _unheard_libraries():
                asked = miniaudio.Devices([backend])
                found = SoundDevices(backend, _real(asked.get_captures()), _real(asked.get_playbacks()))
        except miniaudio.MiniaudioError:
            continue
        if found.inputs and found.outputs:
            return found
    raise NoSoundDevice(NO_SOUND_CARD)


def choose_device(devices: Sequence[SoundDevice], wanted: str | None, kind: Kind) -> SoundDevice | None:
    """Return the device of that name, or of which the name has such a part, or the number in `--list-devices`.

    Raises:
        NoSoundDevice: There is none or more than one; names those that there are.
    """
    if wanted is None:
        return None
    names = [device.name.casefold() for device in devices]
    if wanted.isdecimal() and int(wanted) < len(devices):
        return devices[int(wanted)]
    exact = [device for device, name in zip(devices, names, strict=True) if name == wanted.casefold()]
    alike = exact or [device for device, name in zip(devices, names, strict=True) if wanted.casefold() in name]
    if len(alike) == 1:
        return alike[0]
    fault = "is the name of no" if not alike else "fits more than one"
    there = ", ".join(f"`{device.name}`" for device in (alike or devices))
    raise NoSoundDevice(f"`{wanted}` {fault} {kind} device; there are: {there}")


@contextmanager
def _unheard_libraries() -> Iterator[None]:
    """Keep what ALSA's library writes to standard error, of cards that are not there, from whoever reads it."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _miniaudio() -> Any:
    try:
        import miniaudio
    except ImportError as error:
        raise NoSoundDevice(NO_LIBRARY) from error
    return miniaudio


def _real(devices: Sequence[dict[str, Any]]) -> tuple[SoundDevice, ...]:
    return tuple(
        SoundDevice(device["name"], device["id"]) for device in devices if not device["name"].startswith(DISCARDS)
    )


def _lines(kind: Kind, devices: Sequence[SoundDevice]) -> list[str]:
    return [f"{kind:>6} {number}  {device.name}" for number, device in enumerate(devices)]


def _blocks(sound: SoundExchange) -> Generator[bytes, bytes, None]:
    """What miniaudio sends into is what was heard, what it is given is to be played."""
    played = b""
    while True:
        played = sound.exchange(bytes((yield played)))
