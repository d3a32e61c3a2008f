"""The cases of the rates, and how they are told."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import RATE
from infra.bench.turn_taking.cli import main
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.rates import in_calls
from infra.bench.turn_taking.report import Judged, plain, read_judged, table, wrong
from infra.bench.turn_taking.sounds import voices as voices_module
from infra.bench.turn_taking.sounds.cases import OVER_ANSWERS, Case, make_cases, read_phrases
from infra.bench.turn_taking.sounds.noises import NOISES, muffled, quieter
from infra.bench.turn_taking.sounds.voices import RMS, Voices, levelled


@pytest.fixture(scope="module")
def voices() -> Voices:
    """The voice that is always here, alone."""
    patch = pytest.MonkeyPatch()
    for engine in ("espeak_ng", "svox_pico"):
        patch.setattr(voices_module, engine, lambda folder: None)
    only_hibari = Voices(Path("nowhere"))
    patch.undo()
    return only_hibari


def loudness(case: Case) -> float:
    return float(np.sqrt(np.mean(case.sound.astype(np.float64) ** 2)))


def test_there_are_as_many_of_each_class_as_was_asked_and_the_seed_decides_which(voices: Voices) -> None:
    cases = make_cases(voices, 6, seed=1)
    assert Counter(case.kind for case in cases) == dict.fromkeys(OVER_ANSWERS, 6)
    again, others = make_cases(voices, 6, seed=1), make_cases(voices, 6, seed=2)
    assert [case.what for case in again] == [case.what for case in cases]
    assert [case.what for case in others] != [case.what for case in cases]


def test_only_languages_that_a_voice_speaks_are_heard(voices: Voices) -> None:
    assert {case.language for case in make_cases(voices, 8, seed=1)} == {"en"}
    assert voices.speakers("de") == ()


def test_a_noise_and_an_aside_are_quieter_than_the_person(voices: Voices) -> None:
    cases = make_cases(voices, 6, seed=1)
    said = [loudness(case) for case in cases if case.kind == "interruption"]
    for kind in ("noise", "aside"):
        assert max(loudness(case) for case in cases if case.kind == kind) < min(said)


@pytest.mark.parametrize("name", NOISES)
def test_each_noise_sounds_for_a_while_and_is_none_twice(name: str) -> None:
    dice = np.random.default_rng(0)
    one, other = NOISES[name](dice), NOISES[name](dice)
    assert 0.1 < len(one) / RATE < 6
    assert not np.array_equal(one[:1_000], other[:1_000])


def test_levels_are_what_they_say() -> None:
    tone = (8_000 * np.sin(np.arange(RATE) / 5)).astype(np.int16)
    assert np.sqrt(np.mean(levelled(tone).astype(float) ** 2)) == pytest.approx(RMS, rel=0.02)
    assert np.abs(quieter(tone, 20)).max() == pytest.approx(800, rel=0.02)
    assert np.abs(muffled(tone, 200)).max() < 0.2 * np.abs(tone).max()


def test_there_are_six_languages_of_interruptions_and_of_backchannels() -> None:
    phrases = read_phrases()
    assert len(phrases.interruption) >= 6
    assert phrases.interruption.keys() == phrases.backchannel.keys()


def test_the_report_counts_what_was_right() -> None:
    sound = np.zeros(RATE, np.int16)
    stop, uh_huh = Case("interruption", "Stop.", "en", sound), Case("backchannel", "Uh-huh.", "en", sound)
    judged = [
        (stop, Outcome("stopped", 0.3)),
        (stop, Outcome("went_on", heard=("noise",), reason="noise")),
        (uh_huh, Outcome("went_on", 0.3, 0.6, 0.4)),
    ]
    rates = plain(judged)["rates"]
    assert (rates["interruption"]["n"], rates["interruption"]["right"], rates["interruption"]["rate"]) == (2, 1, 0.5)
    assert rates["backchannel"]["resumed_s"] == [0.4, 0.4]
    assert "noise" not in rates
    rows = [line.split()[:4] for line in table(judged).splitlines()]
    assert rows[1:] == [["interruption", "2", "1", "0.50"], ["backchannel", "1", "1", "1.00"]]
    assert wrong(judged) == "interruption Stop., 1.0 s: went_on (noise), resumed never, heard noise"


def test_reports_of_several_runs_are_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stop = Case("interruption", "Stop.", "de", np.zeros(RATE // 2, np.int16))
    turn = Case("pause", "I | see", "en", np.zeros(RATE, np.int16), 0.2, 0.7, 4)
    halves = [[(stop, Outcome("stopped", 0.3, heard=("Stopp.",), reason="words"))], [(turn, Outcome("cut_in"))]]
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    for file, half in zip(files, halves, strict=True):
        file.write_text(json.dumps(plain(half)))
    both = json.dumps(plain([*halves[0], *halves[1]]))
    assert json.dumps(plain(read_judged(files))) == both
    assert main(["merge", *map(str, files), "--wrong", "--out", str(tmp_path / "both.json")], {}) == 0
    assert json.loads((tmp_path / "both.json").read_text()) == json.loads(both)
    told = capsys.readouterr().out
    assert "pause I | see, 1.0 s: cut_in" in told
    assert "of 4 pauses inside turns 1 were cut in on: 25.0%; 0 turns unanswered" in told


@pytest.mark.parametrize("arguments", [["merge"], ["room", "a.json"], ["merge", "broken.json"], ["merge", "none.json"]])
def test_a_report_that_cannot_be_read_is_named(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text('{"cases": [{"class": "shout"}]}')
    with pytest.raises(SystemExit):
        main(arguments, {})
    told = capsys.readouterr().err
    assert "FILE: " in told
    assert arguments[-1] in told or "merge" in told


async def test_what_is_behind_a_turn_that_is_stuck_is_judged_in_another_call() -> None:
    turns = [Case("pause", str(number), "en", np.zeros(8, np.int16), pauses=1) for number in range(5)]
    judged: list[Judged] = []
    calls: list[int] = []

    async def call(cases: Sequence[Case]) -> None:
        calls.append(len(cases))
        for case in cases:
            assert case.what not in ("1", "4"), "no quiet"
            judged.append((case, Outcome("answered", resumed_s=1.0)))

    await in_calls(turns, call, judged, lambda case, outcome: judged.append((case, outcome)))
    assert calls == [5, 3]
    assert [outcome.fate for _, outcome in judged] == ["answered", "stuck", "answered", "answered", "stuck"]
    assert plain(judged)["rates"]["pause"]["unanswered"] == 2
