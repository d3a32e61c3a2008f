"""Qwen3-ASR's spectrum, its windows and its transcripts."""

import numpy as np
import pytest

from pipeline.models.qwen3_asr.languages import language_code, language_name
from pipeline.models.qwen3_asr.mel import LogMel, mel_filters
from pipeline.models.qwen3_asr.transcript import ParsedTranscript, read_transcript, without_repetitions
from pipeline.models.qwen3_asr.windows import audio_tokens, encoder_windows
from tests.contract.vllm.hearing_cases import sound

KNOWN = ("Chinese", "English", "Cantonese")


@pytest.mark.parametrize("samples", [8_000, 16_001, 33_333, 80_000])
def test_the_spectrum_is_that_of_whispers_extractor(samples: int) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed (extra `vllm`)")
    pytest.importorskip("torch", reason="torch is not installed (extra `vllm`)")
    extractor = transformers.WhisperFeatureExtractor(feature_size=128)
    assert np.abs(extractor.mel_filters - mel_filters()).max() < 1e-7
    pcm = sound(samples, 5.0)[:samples]
    theirs = extractor([pcm], sampling_rate=16_000, padding=True, truncation=False, return_tensors="np")
    ours = LogMel()(pcm)
    assert ours.shape == (samples // 160, 128)
    assert np.abs(theirs["input_features"][0].T - ours).max() < 1e-4


def test_of_sound_that_grows_the_spectrum_is_the_same() -> None:
    pcm, growing = sound(3, 4.0), LogMel()
    for samples in (100, 7_999, 8_000, 8_160, 20_001, 33_000, 33_000, 64_000):
        assert np.abs(growing(pcm[:samples]) - LogMel()(pcm[:samples])).max() < 1e-5


def test_short_sound_is_filled_up_with_silence() -> None:
    assert LogMel()(np.full(1, 0.5, np.float32)).shape == (50, 128)
    assert np.isfinite(LogMel()(np.zeros(8_000, np.float32))).all()


@pytest.mark.parametrize("frames", [1, 99, 100, 800, 899, 900, 1_599, 1_650, 1_700, 2_800])
def test_windows_are_the_whole_and_none_is_without_a_full_chunk(frames: int) -> None:
    mel = np.arange(frames * 2, dtype=np.float32).reshape(frames, 2)
    windows = list(encoder_windows(mel, 800))
    assert np.array_equal(np.concatenate(windows), mel)
    assert all(len(window) == 800 for window in windows[:-1])
    assert len(windows[-1]) >= min(frames, 100)
    assert sum(audio_tokens(len(window)) for window in windows) == audio_tokens(frames)


@pytest.mark.parametrize(
    ("raw", "language", "read"),
    [
        ("language English<asr_text>Hello.", None, ParsedTranscript("English", "Hello.")),
        (" language chinese\n<asr_text> 你好。 ", None, ParsedTranscript("Chinese", "你好。")),
        ("language None<asr_text>", None, ParsedTranscript("", "")),
        ("language None<asr_text>Hm.", None, ParsedTranscript("", "Hm.")),
        ("Hello.", None, ParsedTranscript("", "Hello.")),
        ("Hello.<asr_text>", "English", ParsedTranscript("English", "Hello.<asr_text>")),
        ("  ", "English", ParsedTranscript("", "")),
        ("", None, ParsedTranscript("", "")),
    ],
)
def test_a_transcript_is_read_as_the_official_package_does(
    raw: str, language: str | None, read: ParsedTranscript
) -> None:
    assert read_transcript(raw, language) == read


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("a" * 20, "a" * 20),
        ("a" * 21, "a"),
        ("no " * 19 + ".", "no " * 19 + "."),
        ("I said " + "no " * 20 + "!", "I said no !"),
        ("ab" * 30 + "cd" * 30, "abcd"),
    ],
)
def test_what_is_repeated_twenty_times_is_said_once(written: str, kept: str) -> None:
    assert without_repetitions(written) == kept


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("en", "English"),
        ("en-US", "English"),
        ("EN_gb", "English"),
        ("yue", "Cantonese"),
        ("cHINese", "Chinese"),
        ("de", None),
        ("", None),
        ("klingon", None),
    ],
)
def test_languages_are_named_by_code_or_name(asked: str, name: str | None) -> None:
    assert language_name(asked, KNOWN) == name


@pytest.mark.parametrize(
    ("heard", "code"),
    [
        ("German", "de"),
        ("Cantonese", "yue"),
        ("English,German", "en"),
        ("en", "en"),
        ("cy", "cy"),
        ("", ""),
        ("Klingon", ""),
    ],
)
def test_what_it_says_that_it_hears_has_a_code(heard: str, code: str) -> None:
    assert language_code(heard) == code
