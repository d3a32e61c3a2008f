"""What callers of `tests.gpu.room` say: recordings, or syllables that no language knows.

`python -m tests.gpu.room_voice DIR` writes recordings, where the package of the embedded profile's voice is.
"""

import sys
from pathlib import Path

import numpy as np
import soxr

from infra.bench.base.questions import QUESTIONS
from infra.bench.base.speech import RATE, REPLY_RATE, PersonVoice, Sound, as_wire, read_wav, write_wav
from tests.gpu.speech import speech

SPOKEN = 8  # questions that are written
SYLLABLES, SYLLABLES_S = 4, 2.0


def recorded(folder: Path) -> list[Sound]:
    """Every WAV file of a folder, as a microphone gives it."""
    found = [read_wav(path) for path in sorted(folder.glob("*.wav"))]
    assert found, f"no WAV file in {folder}"
    return [_to_microphone(sound, rate) for sound, rate in found]


def syllables() -> list[Sound]:
    spoken = (speech(SYLLABLES_S, seed) for seed in range(SYLLABLES))
    return [_to_microphone(np.frombuffer(each, "<i2"), REPLY_RATE) for each in spoken]


def main(folder: Path) -> None:
    """Write some questions of the bench's, as somebody says them: PCM16, 24 kHz mono."""
    folder.mkdir(parents=True, exist_ok=True)
    voice = PersonVoice()
    for number, question in enumerate(QUESTIONS[:SPOKEN]):
        write_wav(folder / f"{number}.wav", np.frombuffer(as_wire(voice.say(question)), np.int16), REPLY_RATE)


def _to_microphone(sound: Sound, rate: int) -> Sound:
    resampled = soxr.resample(sound.astype(np.float32), rate, RATE)
    return np.clip(resampled, -32_768, 32_767).astype(np.int16)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
