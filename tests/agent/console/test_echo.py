"""What the loudspeaker plays is kept out of what the microphone hears, and people who speak over it are not.

The sound is real: a voice, a room with walls, WebRTC's canceller. Its figures need no clock.
"""

import numpy as np
import pytest
from hibari import Hibari

from agent.console.echo import LEARNING_S, EchoCanceller, EchoFreeSound
from agent.console.microphone import level_db
from agent.livekit.media import RATE
from tests.agent.console.room_with_echo import BLOCK, RoomWithEcho

STORY = (
    "The moon is the only natural satellite of the earth. It turns around our planet once in about four weeks, and "
    "always shows us the same side. People have walked on it, and brought back many stones."
)
CRY = "Please stop now."
SPEECH_DB = -45.0  # louder than that may be taken for speech


class Speaker:
    """Plays a recording once."""

    def __init__(self, pcm: bytes) -> None:
        self._pcm = pcm

    def take(self, length: int) -> bytes:
        part, self._pcm = self._pcm[:length], self._pcm[length:]
        return part.ljust(length, b"\0")


class Ears:
    """Keeps what the microphone gave."""

    def __init__(self) -> None:
        self.heard = bytearray()

    def hear(self, pcm: bytes) -> None:
        self.heard += pcm

    def level_db(self, from_s: float, to_s: float) -> float:
        return level_db(bytes(self.heard[round(from_s * RATE) * 2 : round(to_s * RATE) * 2]))

    def loudest_db(self, from_s: float, to_s: float) -> float:
        """Of all tenths of a second between."""
        return max(self.level_db(at, at + 0.1) for at in np.arange(from_s, to_s - 0.1, 0.1))


@pytest.fixture(scope="module")
def voice() -> Hibari:
    return Hibari(threads=1)


@pytest.fixture(scope="module")
def story(voice: Hibari) -> bytes:
    return pcm(voice, STORY)


@pytest.fixture(scope="module")
def cry(voice: Hibari) -> bytes:
    return pcm(voice, CRY)


def pcm(voice: Hibari, text: str) -> bytes:
    return (np.asarray(voice(text, seed=0), np.float32) * 32_000).astype(np.int16).tobytes()


def listen(room: RoomWithEcho, story: bytes, canceller: EchoCanceller | None, *, cry: bytes, cry_s: float) -> Ears:
    """What the microphone gives while the story is played, and somebody cries over it at that second."""
    ears = Ears()
    sound = EchoFreeSound(Speaker(story), ears, canceller)
    for block in range(len(story) // (2 * BLOCK)):
        if block == round(cry_s * RATE / BLOCK):
            room.say(cry)
        room.pass_on(sound)
    return ears


@pytest.mark.parametrize("delay_s", [0.04, 0.08, 0.12])
@pytest.mark.parametrize("loud", [0.1, 0.5])
def test_an_echo_is_taken_out_from_the_first_sound_on(story: bytes, delay_s: float, loud: float) -> None:
    bare = listen(RoomWithEcho(delay_s, loud), story, None, cry=b"", cry_s=0)
    assert bare.loudest_db(0, 9) > SPEECH_DB, "the room has an echo"
    ears = listen(RoomWithEcho(delay_s, loud), story, EchoCanceller(), cry=b"", cry_s=0)
    assert ears.loudest_db(0, 9) < -60


@pytest.mark.parametrize("delay_s", [0.04, 0.08, 0.12])
def test_who_speaks_over_the_echo_is_heard(story: bytes, cry: bytes, delay_s: float) -> None:
    ears = listen(RoomWithEcho(delay_s, 0.3), story, EchoCanceller(), cry=cry, cry_s=5.0)
    assert ears.level_db(5.0, 5.0 + len(cry) / RATE / 2) > SPEECH_DB + 10
    assert ears.loudest_db(7.5, 9) < -60, "and then there is silence again"


def test_who_speaks_before_anything_was_played_is_heard(cry: bytes) -> None:
    ears = listen(RoomWithEcho(0.08, 0.3), bytes(6 * RATE), EchoCanceller(), cry=cry, cry_s=0.5)
    assert ears.level_db(0.5, 0.5 + len(cry) / RATE / 2) > SPEECH_DB + 10


def test_while_it_learns_it_is_deaf_to_who_speaks_over_what_is_played(story: bytes, cry: bytes) -> None:
    ears = listen(RoomWithEcho(0.08, 0.3), story, EchoCanceller(), cry=cry, cry_s=0.5)
    assert ears.loudest_db(0.5, LEARNING_S) == -90, "the greeting that it hears would interrupt itself"


def test_blocks_of_any_length_come_out_as_they_went_in(story: bytes) -> None:
    """A sound card's blocks need not be whole hundredths of a second."""
    canceller, given, got = EchoCanceller(), 0, bytearray()
    for length in (962, 482, 1922, 2, 958) * 20:
        got += canceller.clean(bytes(length), bytes(length))
        given += length
        assert 0 <= given - len(got) < 480
