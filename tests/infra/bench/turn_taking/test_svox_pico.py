"""SVOX Pico's package is built once, and speaks in the voice of a language."""

from pathlib import Path

import numpy as np
import pytest

from infra.bench.turn_taking.sounds.svox_pico import RATE, svox_pico

# Stands in for uv: "builds" a package whose speech is the code points of voice and text.
BUILDS = r"""#!/usr/bin/env python3
import sys
from pathlib import Path
target = Path(sys.argv[sys.argv.index("--target") + 1])
target.mkdir(exist_ok=True)
target.joinpath("ttspico.py").write_text('''
class TtsEngine:
    def __init__(self, voice): self.voice = voice
    def speak(self, text): return (self.voice + "|" + text).encode("utf-16-le")
''')
print(*sys.argv, sep="\n", file=open(target.parent / "told", "a"))
"""
FAILS = "#!/bin/sh\nexit 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boot" / "bin").mkdir(parents=True)
    (tmp_path / "turn-taking").mkdir()
    return tmp_path / "turn-taking"


def put_uv(folder: Path, script: str) -> None:
    uv = folder.parent / "boot" / "bin" / "uv"
    uv.write_text(script)
    uv.chmod(0o755)


def test_it_speaks_in_the_voice_of_the_language(folder: Path) -> None:
    put_uv(folder, BUILDS)
    pico = svox_pico(folder)
    assert pico is not None
    sound, rate = pico.read("de", "Grüß Gott")
    assert rate == RATE
    assert "".join(map(chr, sound.astype(np.uint16))) == "de-DE|Grüß Gott"


def test_it_is_built_once_and_from_what_is_pinned(folder: Path) -> None:
    put_uv(folder, BUILDS)
    assert svox_pico(folder)
    assert svox_pico(folder)
    told = (folder / "told").read_text().splitlines()
    assert told.count("--require-hashes") == 1
    (pins,) = [Path(word) for word in told if word.endswith("ttspico.txt")]
    assert "ttspico==" in pins.read_text()


def test_without_a_compiler_there_is_none_and_the_next_time_it_is_tried_again(folder: Path) -> None:
    put_uv(folder, FAILS)
    assert svox_pico(folder) is None
    assert list(folder.iterdir()) == []
    put_uv(folder, BUILDS)
    assert svox_pico(folder)


def test_a_build_that_was_cut_short_is_begun_anew(folder: Path) -> None:
    put_uv(folder, BUILDS)
    assert svox_pico(folder)
    (home,) = folder.glob("svox-pico-*")
    home.rename(coming := home.with_name(f"{home.name}.coming"))
    assert svox_pico(folder)
    assert not coming.exists()
    assert home.is_dir()
