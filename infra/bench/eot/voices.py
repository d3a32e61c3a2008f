"""Who speaks the turns: voices out of packages."""

import io
import shutil
import subprocess
import wave
from collections.abc import Callable

import numpy as np
import soxr
from hibari import Hibari

from infra.bench.base.pieces import RATE, Pcm, bare

HIBARI_RATE = 24_000
SPEEDS = (1.0, 1.15)  # of the one voice that is in hibari's package
PLAIN = "espeak-ng"  # whose melody is made by rule
ESPEAK_VOICES = ("en-us", "en-gb+f3", "en-us+m3", "en-gb+f2")

Voice = Callable[[str, int], Pcm]  # says a text; the number of the turn chooses among several speakers


def voices() -> dict[str, Voice]:
    """Those that there are on this machine; espeak-ng only where it is installed."""
    model = Hibari(threads=1)
    found = {f"hibari at {speed}": _hibari(model, speed) for speed in SPEEDS}
    program = shutil.which("espeak-ng")
    return found | {PLAIN: _espeak(program)} if program else found


def _hibari(model: Hibari, speed: float) -> Voice:
    def say(text: str, _: int) -> Pcm:
        spoken = np.asarray(model(text, speed=speed, seed=0), np.float32)
        return bare(soxr.resample(spoken, HIBARI_RATE, RATE))

    return say


def _espeak(program: str) -> Voice:
    def say(text: str, turn: int) -> Pcm:
        name = ESPEAK_VOICES[turn % len(ESPEAK_VOICES)]
        command = [program, "-v", name, "-s", "160", "--stdout", text]
        told = subprocess.run(command, capture_output=True, check=True).stdout
        with wave.open(io.BytesIO(told)) as file:
            pcm = np.frombuffer(file.readframes(1 << 30), "<i2").astype(np.float32) / 32_768
            return bare(soxr.resample(pcm, file.getframerate(), RATE))

    return say
