"""The real recogniser."""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pytest
import soxr

from infra.bench.base.speech import RATE, PersonVoice
from pipeline.engines.hibari.engine import HibariEngine
from pipeline.engines.whisper.engine import WhisperEngine
from pipeline.errors import ConfigError, EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.types.chunks import AsrInput, Clause
from tests.contract.embedded import MODULE_BACKEND, all_of, seconds_to_close, spoken, ticks_a_second, window, words

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
TELEPHONE_RATE = 8_000  # Hz
BASE, TINY = "whisper-base", "whisper-tiny.en"


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def whisper(anyio_backend: object, models_dir: Path) -> AsyncGenerator[WhisperEngine, None]:
    engine = await WhisperEngine.open(models_dir, model=BASE, fallback=TINY, threads=1, language="en")
    yield engine
    await engine.aclose()


@pytest.fixture(scope="module")
async def question(anyio_backend: object) -> bytes:
    voice = await HibariEngine.open()
    try:
        return await spoken(voice, "What is the capital of France?")
    finally:
        await voice.aclose()


async def test_a_question_is_heard_word_for_word(whisper: WhisperEngine, question: bytes) -> None:
    (transcript,) = await all_of(whisper, window(question))
    assert words(transcript.text) == "what is the capital of france"
    assert transcript.settles
    assert transcript.audio_end_ms == window(question).audio_end_ms


async def test_it_says_how_likely_a_sentence_ends_behind_the_last_word(whisper: WhisperEngine, question: bytes) -> None:
    (whole,) = await all_of(whisper, window(question))
    assert whole.sentence_end and whole.sentence_end > 0.65
    part = AsrInput(window(question).pcm[:SPEECH_RATE], None, True)
    (broken_off,) = await all_of(whisper, part)
    assert words(broken_off.text).startswith("what is the")
    assert broken_off.sentence_end is not None and broken_off.sentence_end < whole.sentence_end - 0.2


@pytest.mark.parametrize(
    "sentence", ["What is the capital of Italy?", "What is the capital of France?", "Please count to ten."]
)
async def test_a_telephone_is_heard_to_the_last_word_however_little_follows_it(
    whisper: WhisperEngine, sentence: str
) -> None:
    voice = PersonVoice().say(sentence).astype(np.float32) / 32_768
    line = soxr.resample(soxr.resample(voice, RATE, TELEPHONE_RATE), TELEPHONE_RATE, SPEECH_RATE)
    heard = {}
    for before_ms, behind_ms in product((200, 300), (0, 60, 120)):
        around = (before_ms * SPEECH_RATE // 1000, behind_ms * SPEECH_RATE // 1000)
        (transcript,) = await all_of(whisper, AsrInput(np.pad(line, around), None, True))
        heard[before_ms, behind_ms] = words(transcript.text)
    assert set(heard.values()) <= {words(sentence), words(sentence).replace("ten", "10")}, heard


async def test_a_language_is_taken_with_its_region(whisper: WhisperEngine, question: bytes) -> None:
    (transcript,) = await all_of(whisper, window(question, "en-US"))
    assert "france" in words(transcript.text)


async def test_the_language_can_be_detected(models_dir: Path, question: bytes) -> None:
    engine = await WhisperEngine.open(models_dir, model=BASE, fallback=BASE, threads=1, language=None)
    (transcript,) = await all_of(engine, window(question))
    (silent,) = await all_of(engine, window(bytes(48_000)))
    await engine.aclose()
    assert "france" in words(transcript.text)
    assert (transcript.language, silent.language) == ("en", "")


async def test_an_unknown_language_is_named_and_the_next_window_is_heard(
    whisper: WhisperEngine, question: bytes
) -> None:
    with pytest.raises(EngineError, match="`xx`"):
        await all_of(whisper, window(question, "xx"))
    (transcript,) = await all_of(whisper, window(question))
    assert "france" in words(transcript.text)


async def test_who_spells_fast_is_heard_to_the_end(whisper: WhisperEngine) -> None:
    voice = await HibariEngine.open()
    alphabet = ", ".join(ascii_uppercase) + "."
    sound = window(b"".join([audio.pcm for audio in await all_of(voice, Clause(alphabet, "", speed=1.5))]))
    await voice.aclose()
    (transcript,) = await all_of(whisper, sound)
    assert "UVWXY" in "".join(filter(str.isalpha, transcript.text)), transcript.text


@pytest.mark.parametrize(
    ("sentence", "times", "heard"),
    [("Please turn on the light in the kitchen.", 3, 3), ("Stop.", 10, 8), ("No.", 10, 8)],
)
async def test_who_says_the_same_again_and_again_is_heard(
    whisper: WhisperEngine, sentence: str, times: int, heard: int
) -> None:
    voice = await HibariEngine.open()
    sound = window(await spoken(voice, f"{sentence} " * times))
    await voice.aclose()
    (transcript,) = await all_of(whisper, sound)
    assert words(transcript.text).startswith(" ".join([words(sentence)] * heard))


async def test_a_sound_that_makes_whisper_run_in_circles_says_nothing(whisper: WhisperEngine) -> None:
    tone = 0.2 * np.sin(2 * np.pi * 440 * np.arange(5 * SPEECH_RATE // 2) / SPEECH_RATE)
    sound = np.pad(tone, (SPEECH_RATE // 4, SPEECH_RATE // 2)).astype(np.float32)
    (transcript,) = await all_of(whisper, AsrInput(sound, None, True))
    assert transcript.text == ""


async def test_a_name_is_spelled_as_the_caller_has_told_it(whisper: WhisperEngine) -> None:
    voice = await HibariEngine.open()
    sound = window(await spoken(voice, "Please call Siobhan about Kubernetes."))
    await voice.aclose()
    (alone,) = await all_of(whisper, sound)
    assert "siobhan" not in words(alone.text)
    (told,) = await all_of(whisper, replace(sound, context="Siobhan, Kubernetes"))
    assert words(told.text) == "please call siobhan about kubernetes"
    (long,) = await all_of(whisper, replace(sound, context="word " * 10_000 + "Siobhan, Kubernetes"))
    assert "siobhan" in words(long.text), "the end of what is too long counts"


async def test_what_may_be_said_is_not_heard_where_nobody_speaks_but_where_somebody_does(
    whisper: WhisperEngine,
) -> None:
    dice, seconds = np.random.default_rng(0), np.arange(SPEECH_RATE) / SPEECH_RATE
    noise = 0.05 * dice.standard_normal(SPEECH_RATE)
    for sound in (np.zeros(SPEECH_RATE), noise, 0.2 * np.sin(2 * np.pi * 50 * seconds) + 0.4 * noise):
        (transcript,) = await all_of(whisper, AsrInput(sound.astype(np.float32), None, True, "Aura."))
        assert transcript.text == ""
    voice = await HibariEngine.open()
    called = window(await spoken(voice, "Aura?"))
    await voice.aclose()
    (transcript,) = await all_of(whisper, replace(called, context="Aura."))
    assert words(transcript.text) == "aura"


@pytest.mark.parametrize("seconds", [0, 0.001, 1.0])
async def test_silence_says_nothing(whisper: WhisperEngine, seconds: float) -> None:
    silence = np.zeros(int(seconds * SPEECH_RATE), np.float32)
    (transcript,) = await all_of(whisper, AsrInput(silence, None, True))
    assert transcript.text == ""


@pytest.mark.parametrize("loudness", [0.02, 0.2, 1e6])
async def test_noise_says_nothing(whisper: WhisperEngine, loudness: float) -> None:
    noise = np.random.default_rng(1).standard_normal(2 * SPEECH_RATE) * loudness
    (transcript,) = await all_of(whisper, AsrInput(noise.astype(np.float32), None, True))
    assert transcript.text == ""


async def test_hearing_does_not_hang_on_the_kernel() -> None:
    """The sounds on which it did, with the kernels of a processor that has no AVX-512."""
    older = {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
    chosen = "word_for_word or Stop or No. or in_circles"
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", chosen)
    environ = os.environ | older | {"OPENBLAS_CORETYPE": "Haswell"}
    run = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environ, stdout=PIPE, stderr=STDOUT)
    output, _ = await run.communicate()
    assert run.returncode == 0, output.decode()


async def test_a_pass_that_nobody_waits_for_lets_go_at_once_and_is_busy_until_it_ends(
    whisper: WhisperEngine, question: bytes
) -> None:
    assert await seconds_to_close(whisper, window(question), after_s=0.05) < 0.15
    assert await whisper.busy() == 1
    async with asyncio.timeout(20):
        while await whisper.busy():  # noqa: ASYNC110 - it is asked, as the orchestrator asks
            await asyncio.sleep(0.02)


async def test_the_loop_is_not_held_by_a_pass(whisper: WhisperEngine, question: bytes) -> None:
    assert await ticks_a_second(whisper, window(question)) > 20


async def test_a_missing_file_is_named(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / BASE).mkdir()
    shutil.copy(models_dir / BASE / "config.json", tmp_path / BASE)
    with pytest.raises(ConfigError, match=r"whisper-base: model\.bin, tokenizer\.json, vocabulary\.txt missing"):
        await WhisperEngine.open(tmp_path, model=BASE, fallback=TINY, threads=1, language="en")


async def test_a_damaged_model_is_named(models_dir: Path, tmp_path: Path) -> None:
    for file in (models_dir / TINY).iterdir():
        (tmp_path / TINY).mkdir(exist_ok=True)
        (tmp_path / TINY / file.name).write_bytes(file.read_bytes()[:100_000])
    with pytest.raises(ConfigError, match=TINY):
        await WhisperEngine.open(tmp_path, model=BASE, fallback=TINY, threads=1, language="en")


async def test_a_model_that_is_not_there_is_replaced_by_the_fallback(models_dir: Path, question: bytes) -> None:
    engine = await WhisperEngine.open(models_dir, model="no-such-model", fallback=TINY, threads=1, language="en")
    (transcript,) = await all_of(engine, window(question))
    with pytest.raises(EngineError, match="`de`"):
        await all_of(engine, window(question, "de"))
    await engine.aclose()
    assert "france" in words(transcript.text)
