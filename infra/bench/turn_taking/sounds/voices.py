"""Voices of people: the embedded profile's and SVOX Pico's in several guises, and espeak-ng's."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from infra.bench.base.speech import RATE, PersonVoice, Sound
from infra.bench.turn_taking.sounds.espeak_ng import espeak_ng
from infra.bench.turn_taking.sounds.svox_pico import VOICES as PICO_VOICES
from infra.bench.turn_taking.sounds.svox_pico import svox_pico

RMS = 2_500  # of speech, in 16-bit samples: what a headset gives
LOUD = 300  # least peak of a sample with speech


@dataclass(frozen=True, slots=True)
class VoiceGuise:
    """Somebody who speaks.

    Attributes:
        engine: `hibari` speaks English only, `pico` five languages.
        variant: Of espeak-ng's voice, such as `f3`.
        pitch: By which all frequencies are multiplied, and the speed.
    """

    engine: str
    variant: str = ""
    pitch: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.engine}{self.variant and '+' + self.variant}@{self.pitch:g}"


PITCHES = (1.0, 0.88, 1.12)
HIBARI = tuple(VoiceGuise("hibari", pitch=pitch) for pitch in PITCHES)
PICO = tuple(VoiceGuise("pico", pitch=pitch) for pitch in PITCHES)
ESPEAK = (
    VoiceGuise("espeak-ng"),
    VoiceGuise("espeak-ng", "f3"),
    VoiceGuise("espeak-ng", "m3"),
    VoiceGuise("espeak-ng", "f2"),
)


class Voices:
    """Speaks, and remembers what has been said.

    Args:
        folder: Where espeak-ng's and SVOX Pico's packages are put, unless espeak-ng is installed.
    """

    def __init__(self, folder: Path) -> None:
        self._hibari = PersonVoice()
        self._espeak = espeak_ng(folder)
        self._pico = svox_pico(folder)
        self._said: dict[tuple[VoiceGuise, str, str], Sound] = {}

    def speakers(self, language: str) -> tuple[VoiceGuise, ...]:
        """Who speaks a language; nobody, if there is no such voice here."""
        hibari = HIBARI if language == "en" else ()
        pico = PICO if self._pico and language in PICO_VOICES else ()
        return (*hibari, *pico, *(ESPEAK if self._espeak else ()))

    def say(self, speaker: VoiceGuise, language: str, text: str) -> Sound:
        """PCM16, 48 kHz mono, without silence around it, as loud as all others."""
        key = speaker, language, text
        if key not in self._said:
            pitched = soxr.resample(self._plain(*key).astype(np.float32), RATE * speaker.pitch, RATE)
            self._said[key] = levelled(pitched)
        return self._said[key]

    def _plain(self, speaker: VoiceGuise, language: str, text: str) -> Sound:
        if speaker.engine == "hibari":
            return self._hibari.say(text)
        if speaker.engine == "pico":
            assert self._pico is not None
            sound, rate = self._pico.read(language, text)
        else:
            assert self._espeak is not None
            sound, rate = self._espeak.read(language, speaker.variant, text)
        loud = np.flatnonzero(np.abs(sound) > LOUD)
        resampled = soxr.resample(sound[loud[0] : loud[-1] + 1].astype(np.float32), rate, RATE)
        return np.asarray(np.clip(resampled, -32_768, 32_767), np.int16)


def levelled(sound: np.ndarray, rms: float = RMS) -> Sound:
    """The sound, as loud as speech: by the louder half of its 20 ms frames."""
    frame = RATE // 50
    frames = sound[: max(1, len(sound) // frame) * frame].astype(np.float32)
    powers = (frames.reshape(-1, frame) ** 2).mean(1) if len(frames) >= frame else np.array([(frames**2).mean()])
    loud = np.sqrt(np.sort(powers)[len(powers) // 2 :].mean())
    return np.asarray(np.clip(sound * (rms / max(1.0, loud)), -32_768, 32_767), np.int16)
