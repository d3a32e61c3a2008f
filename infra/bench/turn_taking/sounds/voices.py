"""Voices of people: the one of the embedded profile in several guises, and espeak-ng's of many languages."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from infra.bench.base.speech import RATE, PersonVoice, Sound, read_wav

PACKAGES = ("espeak-ng", "libespeak-ng1", "espeak-ng-data", "libpcaudio0", "libsonic0")
RMS = 2_500  # of speech, in 16-bit samples: what a headset gives
VOICE = {"pt": "pt-br"}  # in which the phrases are
LOUD = 300  # least peak of a sample with speech


@dataclass(frozen=True, slots=True)
class VoiceGuise:
    """Somebody who speaks.

    Attributes:
        engine: `hibari` speaks English only.
        variant: Of espeak-ng's voice, such as `f3`.
        pitch: By which all frequencies are multiplied, and the speed.
    """

    engine: str
    variant: str = ""
    pitch: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.engine}{self.variant and '+' + self.variant}@{self.pitch:g}"


HIBARI = (VoiceGuise("hibari"), VoiceGuise("hibari", pitch=0.88), VoiceGuise("hibari", pitch=1.12))
ESPEAK = (
    VoiceGuise("espeak-ng"),
    VoiceGuise("espeak-ng", "f3"),
    VoiceGuise("espeak-ng", "m3"),
    VoiceGuise("espeak-ng", "f2"),
)


class Voices:
    """Speaks, and remembers what has been said.

    Args:
        folder: Where espeak-ng's packages are put, unless it is installed.
    """

    def __init__(self, folder: Path) -> None:
        self._hibari = PersonVoice()
        self._espeak = _espeak(folder)
        self._said: dict[tuple[VoiceGuise, str, str], Sound] = {}

    @property
    def has_espeak(self) -> bool:
        return self._espeak is not None

    def speakers(self, language: str) -> tuple[VoiceGuise, ...]:
        """Who speaks a language; nobody, if there is no such voice here."""
        espeak = ESPEAK if self._espeak else ()
        return (*HIBARI, *espeak) if language == "en" else espeak

    def say(self, speaker: VoiceGuise, language: str, text: str) -> Sound:
        """PCM16, 48 kHz mono, without silence around it, as loud as all others."""
        key = speaker, language, text
        if key not in self._said:
            plain = self._hibari.say(text) if speaker.engine == "hibari" else self._speak(speaker, language, text)
            pitched = soxr.resample(plain.astype(np.float32), RATE * speaker.pitch, RATE)
            self._said[key] = levelled(pitched)
        return self._said[key]

    def _speak(self, speaker: VoiceGuise, language: str, text: str) -> Sound:
        assert self._espeak is not None
        voice = f"{VOICE.get(language, language)}{speaker.variant and '+' + speaker.variant}"
        sound, rate = self._espeak.read(voice, text)
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


@dataclass(frozen=True, slots=True)
class _EspeakNg:
    """The program, and where its data is if it is not installed."""

    program: Path
    unpacked: Path | None

    def read(self, voice: str, text: str) -> tuple[Sound, int]:
        wav = Path(f"/dev/shm/espeak-{os.getpid()}.wav")
        command: list[str | Path] = [self.program, "-v", voice, "-w", wav, text]
        environ = dict(os.environ)
        if self.unpacked:
            (library,) = self.unpacked.glob("usr/lib/*/libespeak-ng.so.1")
            command[1:1] = ["--path", library.parent]
            environ["LD_LIBRARY_PATH"] = str(library.parent)
        try:
            subprocess.run(command, check=True, capture_output=True, env=environ)
            return read_wav(wav)
        finally:
            wav.unlink(missing_ok=True)


def _espeak(folder: Path) -> _EspeakNg | None:
    """The one that is installed, or Debian's packages unpacked; None where neither can be had."""
    if installed := shutil.which("espeak-ng"):
        return _EspeakNg(Path(installed), None)
    home = folder / "espeak-ng"
    if not home.is_dir():
        coming = folder / "espeak-ng.coming"
        shutil.rmtree(coming, ignore_errors=True)
        coming.mkdir(parents=True)
        try:
            subprocess.run(["apt-get", "download", "-q", *PACKAGES], cwd=coming, check=True, capture_output=True)
            for package in coming.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, coming], check=True, capture_output=True)
                package.unlink()
        except (OSError, subprocess.CalledProcessError):
            shutil.rmtree(coming, ignore_errors=True)
            return None
        coming.replace(home)
    return _EspeakNg(home / "usr" / "bin" / "espeak-ng", home)
