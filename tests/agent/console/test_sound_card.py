"""Choosing devices by name, and talking to one that is real but for its sound: miniaudio's null device."""

import asyncio

import miniaudio
import pytest

from agent.console.errors import NoSoundDevice, SoundCardError
from agent.console.sound_card import (
    MiniaudioCard,
    SoundDevice,
    SoundDevices,
    choose_device,
)
from agent.livekit.media import RATE

DEVICES = [SoundDevice(name, None) for name in ("Built-in Microphone", "USB Headset", "USB Camera", "USB")]
NULL = SoundDevices(miniaudio.Backend.NULL, (), ())


class Counter:
    """Counts what a card gives, and plays silence."""

    def __init__(self) -> None:
        self.heard = 0

    def exchange(self, heard: bytes) -> bytes:
        self.heard += len(heard)
        return bytes(len(heard))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("headset", "USB Headset"), ("usb", "USB"), ("0", "Built-in Microphone"), ("era", "USB Camera")],
)
def test_a_device_is_chosen_by_its_name_a_part_of_it_or_its_number(wanted: str, name: str) -> None:
    chosen = choose_device(DEVICES, wanted, "input")
    assert chosen and chosen.name == name


def test_without_a_name_the_system_chooses() -> None:
    assert choose_device(DEVICES, None, "input") is None


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            "banjo",
            "`banjo` is the name of no output device; there are: `Built-in Microphone`, `USB Headset`, `USB Camera`, "
            "`USB`",
        ),
        ("4", "`4` is the name of no output device; there are: "),
        ("usb ", "`usb ` fits more than one output device; there are: `USB Headset`, `USB Camera`"),
    ],
)
def test_a_name_that_is_not_there_is_refused_with_those_that_are(wanted: str, said: str) -> None:
    with pytest.raises(NoSoundDevice) as refused:
        choose_device(DEVICES, wanted, "output")
    assert str(refused.value).startswith(said)


def test_devices_are_listed_with_the_numbers_by_which_they_are_chosen() -> None:
    listed = SoundDevices(None, tuple(DEVICES[:2]), tuple(DEVICES[3:]))
    assert str(listed).splitlines() == [" input 0  Built-in Microphone", " input 1  USB Headset", "output 0  USB"]


@pytest.mark.anyio
async def test_a_card_gives_and_takes_sound_at_the_speed_of_sound() -> None:
    counter = Counter()
    async with MiniaudioCard(NULL).open(counter):
        await asyncio.sleep(1)
    heard, half_a_second = counter.heard, RATE
    assert half_a_second < heard < 3 * half_a_second
    await asyncio.sleep(0.2)
    assert counter.heard == heard, "a card that is closed gives nothing"


@pytest.mark.anyio
async def test_a_device_that_has_gone_is_said_to_be() -> None:
    nobody = SoundDevices(miniaudio.Backend.COREAUDIO, (), ())
    with pytest.raises(SoundCardError, match="the sound card cannot be opened"):
        async with MiniaudioCard(nobody).open(Counter()):
            pass
