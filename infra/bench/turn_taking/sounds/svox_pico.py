"""SVOX Pico: five languages, whose melody follows what is said; the package is built from its source."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from infra.bench.base.speech import Sound
from infra.bench.turn_taking.sounds.packages import brought

RATE = 16_000  # Hz
VOICES = {"en": "en-GB", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT"}
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements"
PINS = REQUIREMENTS / "ttspico.txt"
SPEAK = """
import sys, ttspico
_, voice, text = sys.argv
sys.stdout.buffer.write(ttspico.TtsEngine(voice).speak(text))
"""


@dataclass(frozen=True, slots=True)
class SvoxPico:
    """Where the package is; it speaks in a process of its own."""

    folder: Path

    def read(self, language: str, text: str) -> tuple[Sound, int]:
        """PCM16, and its rate in Hz."""
        command = [sys.executable, "-c", SPEAK, VOICES[language], text]
        environ = os.environ | {"PYTHONPATH": str(self.folder)}
        told = subprocess.run(command, check=True, capture_output=True, env=environ).stdout
        return np.frombuffer(told, "<i2"), RATE


def svox_pico(folder: Path) -> SvoxPico | None:
    """The package, built in the folder if it is not there yet; None where it cannot be: it takes a C compiler."""
    pinned_as = hashlib.sha256(PINS.read_bytes()).hexdigest()[:8]
    home = folder / f"svox-pico-{sys.implementation.cache_tag}-{pinned_as}"
    uv = folder.parent / "boot" / "bin" / "uv"
    return SvoxPico(home) if brought(home, partial(_build, uv if uv.exists() else "uv")) else None


def _build(uv: Path | str, folder: Path) -> None:
    into = ("--python", sys.executable, "--target", folder)
    pinned = ("--build-constraints", REQUIREMENTS / "build.txt", "--require-hashes", "--requirement", PINS)
    subprocess.run([uv, "pip", "install", "--quiet", *into, *pinned], check=True, capture_output=True)
