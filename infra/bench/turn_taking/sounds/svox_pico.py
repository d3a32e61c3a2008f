"""SVOX Pico: five languages, whose melody follows what is said; the package is built from its source."""

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infra.bench.base.speech import Sound

RATE = 16_000  # Hz
VOICES = {"en": "en-GB", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT"}
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements"
SPEAK = """
import sys, ttspico
_, voice, text = sys.argv
sys.stdout.buffer.write(ttspico.TtsEngine(voice).speak(text))
"""


@dataclass(frozen=True, slots=True)
class SvoxPico:
    """Where the package is; it speaks in a process of its own."""

    folder: Path
    languages: frozenset[str] = frozenset(VOICES)

    def read(self, language: str, text: str) -> tuple[Sound, int]:
        """PCM16, and its rate in Hz."""
        command = [sys.executable, "-c", SPEAK, VOICES[language], text]
        environ = os.environ | {"PYTHONPATH": str(self.folder)}
        told = subprocess.run(command, check=True, capture_output=True, env=environ).stdout
        return np.frombuffer(told, "<i2"), RATE


def svox_pico(folder: Path) -> SvoxPico | None:
    """The package, built in the folder if it is not there yet; None where it cannot be: it takes a C compiler."""
    pinned_as = hashlib.sha256((REQUIREMENTS / "ttspico.txt").read_bytes()).hexdigest()[:8]
    home = folder / f"svox-pico-{sys.implementation.cache_tag}-{pinned_as}"
    coming = folder / "svox-pico.coming"
    if not home.is_dir():
        uv = folder.parent / "boot" / "bin" / "uv"
        install: list[str | Path] = [uv if uv.exists() else "uv", "pip", "install", "--quiet"]
        pinned: list[str | Path] = ["--require-hashes", "--requirement", REQUIREMENTS / "ttspico.txt"]
        shutil.rmtree(coming, ignore_errors=True)
        try:
            subprocess.run(
                [
                    *(*install, "--python", sys.executable, "--target", coming),
                    *("--build-constraints", REQUIREMENTS / "build.txt", *pinned),
                ],
                check=True,
                capture_output=True,
            )
        except (OSError, subprocess.CalledProcessError):
            shutil.rmtree(coming, ignore_errors=True)
            return None
        coming.replace(home)
    return SvoxPico(home)
