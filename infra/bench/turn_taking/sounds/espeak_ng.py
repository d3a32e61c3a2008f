"""espeak-ng: many languages, whose melody is made by rule, from a program of Debian's."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from infra.bench.base.speech import Sound, read_wav
from infra.bench.turn_taking.sounds.packages import brought

PACKAGES = ("espeak-ng", "libespeak-ng1", "espeak-ng-data", "libpcaudio0", "libsonic0")
VOICE = {"pt": "pt-br"}  # in which the phrases are


@dataclass(frozen=True, slots=True)
class EspeakNg:
    """The program, and where its data is if it is not installed."""

    program: Path
    unpacked: Path | None

    def read(self, language: str, variant: str, text: str) -> tuple[Sound, int]:
        """PCM16, and its rate in Hz."""
        wav = Path(f"/dev/shm/espeak-{os.getpid()}.wav")
        voice = f"{VOICE.get(language, language)}{variant and '+' + variant}"
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


def espeak_ng(folder: Path) -> EspeakNg | None:
    """The one that is installed, or Debian's packages unpacked; None where neither can be had."""
    if installed := shutil.which("espeak-ng"):
        return EspeakNg(Path(installed), None)
    home = folder / "espeak-ng"
    return EspeakNg(home / "usr" / "bin" / "espeak-ng", home) if brought(home, _unpack) else None


def _unpack(folder: Path) -> None:
    subprocess.run(["apt-get", "download", "-q", *PACKAGES], cwd=folder, check=True, capture_output=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True, capture_output=True)
        package.unlink()
