"""This module tells by loudness whether a sound is the person's: who is elsewhere in the room is farther away.

It is pure. How loud the person is themselves follows from the turns that they have taken; until the first, any sound
may be theirs.
"""

import math
from collections import deque
from dataclasses import dataclass
from statistics import median_low

import numpy as np
from numpy.typing import NDArray

FRAMES_IN_MIND = 12  # of the newest sound: what begins to be loud now may have begun to sound that long ago
TURNS_IN_MIND = 5
LEAST_FRAMES = 8  # of a sound, before its loudness is known


@dataclass(frozen=True, slots=True)
class LevelRules:
    """Says how much quieter than the person's own voice is somebody else's, in dB.

    Attributes:
        far_db: So much quieter nothing of it is theirs: over the agent it is not heard at all.
        aside_db: So much quieter it is most likely not meant for the agent, which it does not stop.
    """

    far_db: float = 12.0
    aside_db: float = 8.0


LEVELS = LevelRules()


class VoiceLevel:
    """Follows the loudness of one caller's microphone."""

    def __init__(self, rules: LevelRules = LEVELS) -> None:
        self._rules = rules
        self._recent: deque[float] = deque(maxlen=FRAMES_IN_MIND)
        self._sound: list[float] | None = None  # the power of each frame, while or after one is made
        self._making = False
        self._turns: deque[float] = deque(maxlen=TURNS_IN_MIND)

    def hear(self, samples: NDArray[np.int16]) -> bool:
        """Take the next frame, and return whether it may belong to the person."""
        power = float(np.mean(np.square(samples, dtype=np.float64))) if samples.size else 0.0
        self._recent.append(power)
        if self._making and self._sound is not None:
            self._sound.append(power)
        return self._own_db is None or _db(max(self._recent)) >= self._own_db - self._rules.far_db

    def begin(self, *, goes_on: bool) -> None:
        """Note that a sound is being made; `goes_on`: it is still the one before, after a pause."""
        if not goes_on or self._sound is None:
            self._sound = list(self._recent)
        self._making = True

    def pause(self) -> None:
        """Note that it has paused."""
        self._making = False

    def take(self) -> None:
        """Note that the sound was a turn of the person."""
        if (level_db := self._level_db) is not None:
            self._turns.append(level_db)

    @property
    def is_aside(self) -> bool:
        """Whether the newest sound is too quiet to be meant for the agent."""
        level_db, own_db = self._level_db, self._own_db
        return level_db is not None and own_db is not None and level_db < own_db - self._rules.aside_db

    @property
    def _own_db(self) -> float | None:
        """How loud the person usually is; of two turns the quieter one tells."""
        return median_low(self._turns) if self._turns else None

    @property
    def _level_db(self) -> float | None:
        """How loud the newest sound is: the louder half of its frames, since words have gaps."""
        if self._sound is None or len(self._sound) < LEAST_FRAMES:
            return None
        loud = sorted(self._sound)[len(self._sound) // 2 :]
        return _db(sum(loud) / len(loud))


class NearVoice:
    """`Nearness` of one call: over the agent only the person themselves is heard, once their loudness is known."""

    def __init__(self) -> None:
        self._level = VoiceLevel()
        self._audible = self._making = self._holds = False

    def hears(self, samples: NDArray[np.int16]) -> bool:
        """Take the next frame (16-bit samples), and return whether to listen to it.

        What has begun near is heard to its end, and while the agent is silent everything is.
        """
        near = self._level.hear(samples)
        return near or self._making or not self._audible

    @property
    def holds(self) -> bool:
        return self._holds

    @property
    def is_aside(self) -> bool:
        """Whether the newest sound is too quiet to be meant for the agent."""
        return self._level.is_aside

    def audible(self, audible: bool) -> None:
        """Note that the agent can be heard, or no longer."""
        self._audible = audible

    def onset(self, *, goes_on: bool) -> None:
        """Note that the person makes a sound; `goes_on`: it is still the one before, after a pause."""
        self._making, self._holds = True, False
        self._level.begin(goes_on=goes_on)

    def pause(self) -> None:
        """Note that they are silent."""
        self._making = self._holds = False
        self._level.pause()

    def hold(self) -> None:
        """Let the sound that is being made pause the agent no more."""
        self._holds = self._making

    def take(self) -> None:
        """Note that the sound was their turn: as loud they are."""
        self._level.take()

    def forget(self) -> None:
        """Note that it is somebody else's microphone from now on: how loud they are is not known yet."""
        self._level = VoiceLevel()


def _db(power: float) -> float:
    return 10 * math.log10(power + 1.0)
