"""How ends of turns are measured: the protocol, the weights, the turns that are spoken."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from infra.bench.base.pieces import RATE, Pcm, spoken
from infra.bench.eot.detectors import LANGUAGE_MODEL, LIVEKIT, SAYS, SMART_TURN, blend, judged
from infra.bench.eot.fit import fitted, log_odds
from infra.bench.eot.harness_adapter import HarnessAdapter, HarnessItem
from infra.bench.eot.kept import heard, read_kept
from infra.bench.eot.next_words import ends
from infra.bench.eot.protocol import Judged, figures, of_delays
from infra.bench.eot.report import report
from infra.bench.eot.turns import HEARD_S, TurnScript, moments, read_turns
from infra.bench.eot.voices import PLAIN
from infra.bench.eot.witnesses import Said, Verdicts

PAUSES = [0.25, 0.4, 0.5, 0.7, 1.2]


def verdict(
    turn: int, pause_s: float | None, sure: float, *, words: str = "Yes.", fits: bool = False, voice: str = "a"
) -> Verdicts:
    return Verdicts(turn, 0, voice, "short", fits, pause_s, sure, sure, words)


def silent_on(score: float) -> list[Judged]:
    return [Judged(score, pause) for pause in PAUSES] + [Judged(score, None)] * 5


def test_silence_alone_cuts_off_the_pauses_that_are_longer_than_it_waits() -> None:
    reached = figures(silent_on(0.0))
    assert list(reached.cut_off) == pytest.approx([4 / 5, 2 / 5])
    assert list(reached.delay_s) == pytest.approx([1.2, 1.2])  # at 5 and 10 % none of five may be cut off


def test_who_tells_every_end_from_every_pause_cuts_nobody_off_and_is_not_late() -> None:
    judged = [Judged(0.1, pause) for pause in PAUSES] + [Judged(0.9, None)] * 5
    reached = figures(judged)
    assert list(reached.cut_off) == [0, 0]
    assert list(reached.delay_s) == pytest.approx([HEARD_S, HEARD_S])


def test_an_end_that_is_taken_for_a_pause_costs_the_longer_delay() -> None:
    """Four of five ends after 0.2 s, the fifth after 0.7 s at most: then the pause of 1.2 s is cut off."""
    judged = [Judged(0.1, pause) for pause in PAUSES] + [Judged(0.9, None)] * 4 + [Judged(0.0, None)]
    reached = figures(judged)
    assert reached.cut_off[0] == pytest.approx(1 / 5)
    assert reached.delay_s[0] == pytest.approx((4 * 0.2 + 1.2) / 5)


@pytest.mark.parametrize("judged", [[], [Judged(0.5, None)], [Judged(0.5, 0.4)]])
def test_without_pauses_or_without_ends_nothing_is_measured(judged: Sequence[Judged]) -> None:
    with pytest.raises(ValueError, match="some of both"):
        figures(judged)


def test_a_policy_is_measured_as_it_is_set() -> None:
    judged = [Judged(0.5, 0.4), Judged(0.5, 0.6), Judged(0.35, None), Judged(1.8, None)]
    assert list(of_delays(judged)) == pytest.approx([0.5, (0.35 + 1.8) / 2])


def test_weights_that_made_the_turns_are_found_again() -> None:
    draws = np.random.default_rng(0)
    witnesses = draws.standard_normal((20_000, 2))
    probability = 1 / (1 + np.exp(-(0.5 + 2 * witnesses[:, 0] - witnesses[:, 1])))
    weights = fitted(witnesses, draws.random(20_000) < probability)
    assert weights == pytest.approx([0.5, 2, -1], abs=0.1)


def test_weights_stay_finite_where_one_witness_knows_everything() -> None:
    weights = fitted(np.array([[-1.0], [-1.0], [1.0], [1.0]]), np.array([False, False, True, True]))
    assert 0 < weights[1] < 5
    assert log_odds(1.0) == pytest.approx(-log_odds(0.0))
    assert log_odds(1.0) < 10


def test_a_blend_is_fitted_on_what_it_is_given() -> None:
    fits = [verdict(n, None if n % 2 else 0.4, 0.9 if n % 2 else 0.2) for n in range(20)]
    both = blend((LIVEKIT, SMART_TURN), fits)
    scores = [each.score for each in judged(both.score, fits)]
    assert min(scores[1::2]) > 0 > max(scores[::2])


def test_the_language_model_is_asked_for_marks_that_end_a_sentence_and_for_the_end() -> None:
    next_ = [(".", 0.4), (" ?", 0.1), ("", 0.2), (",", 0.1), (" is", 0.1), (" of", 0.05)]
    likeliest = [{"token": token, "logprob": float(np.log(probability))} for token, probability in next_]
    assert ends(likeliest) == pytest.approx(0.4 + 0.1 + 0.2)


def test_of_short_answers_and_where_it_was_not_asked_the_language_model_says_nothing() -> None:
    def says(words: str, likely: float | None) -> float:
        return SAYS[LANGUAGE_MODEL](msgspec.structs.replace(verdict(0, None, 0.5, words=words), language_model=likely))

    assert says("In Berlin.", 0.001) == says("I live in Berlin.", None) == 0
    assert says("I live in Berlin.", 0.5) > 0 > says("I live in", 0.001)


def test_there_are_enough_turns_and_no_text_is_fitted_and_reported() -> None:
    scripts = read_turns()
    assert len(scripts) >= 100
    assert sum(len(script.pieces) - 1 for script in scripts) >= 100
    texts = {fits: {script.pieces for script in scripts if script.fits is fits} for fits in (True, False)}
    assert texts[True].isdisjoint(texts[False])
    for kind in {script.kind for script in scripts}:
        halves = [sum(script.fits is fits for script in scripts if script.kind == kind) for fits in (True, False)]
        assert abs(halves[0] - halves[1]) <= 1


def test_the_moments_of_a_turn_hold_all_that_was_said_and_a_little_silence() -> None:
    tone: Pcm = np.full(RATE, 0.5, np.float32)
    first, last = moments([tone, tone], seed=1)
    assert first.pause_s is not None and 0.1 <= first.pause_s <= 3
    assert last.pause_s is None
    assert len(first.sound) == (0.5 + 1 + HEARD_S) * RATE
    assert len(last.sound) == pytest.approx((0.5 + 2 + first.pause_s + HEARD_S) * RATE, abs=1)
    assert np.abs(first.sound[-round(HEARD_S * RATE) :]).max() < 0.01


def test_pauses_are_as_long_as_those_of_eot_bench() -> None:
    silence: Pcm = np.zeros(1, np.float32)
    lengths = [next(moments([silence, silence], seed)).pause_s or 0 for seed in range(2_000)]
    shares = [np.mean([length > limit for length in lengths]) for limit in (0.3, 0.6, 1.0, 1.6)]
    assert shares == pytest.approx([0.556, 0.217, 0.1, 0.05], abs=0.03)


def test_a_piece_is_cut_out_of_the_running_sentence_between_two_words() -> None:
    """Each letter is 20 ms of sound, each space 60 ms of hardly any."""
    said: list[str] = []

    def say(text: str) -> Pcm:
        said.append(text)
        return np.concatenate([np.full(960 if c == " " else 320, 0.001 if c == " " else 0.5, np.float32) for c in text])

    pieces = spoken(("Wait.", "I would like to", "leave."), say)
    assert said[0] == "Wait." and "I would like to leave." in said
    letters = [len(piece) / 320 for piece in pieces]
    spaces = 4 - 1  # of the second sentence, but for that which was cut out
    assert sum(letters) == pytest.approx(len("Wait.Iwouldliketoleave.") + spaces * 3, abs=0.1)
    assert letters[2] < len("to leave.") + 3, "the pause is where it is written, or a word before"


async def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    kept = tmp_path / "eot.jsonl"
    assert read_kept(kept) == []
    script = TurnScript(3, "short", True, ("Yes.",))
    known = verdict(3, None, 0.5)
    kept.write_bytes(msgspec.json.encode(known) + b"\n")
    assert [each async for each in heard([script], {"a": lambda text, turn: silent(text)}, tmp_path, kept)] == []
    assert read_kept(kept) == [known]


def silent(text: str) -> Pcm:
    raise AssertionError(f"{text!r} is spoken again")


def test_the_report_is_of_the_half_that_was_not_fitted_and_keeps_the_plain_voice_apart() -> None:
    told = []
    for voice in ("a", PLAIN):
        for turn in range(12):
            fits = turn < 6
            told += [verdict(turn, None, 0.9, fits=fits, voice=voice)]
            told += [verdict(turn, 0.5, 0.1, words="So I", fits=fits, voice=voice)]
    text = "\n".join(report(told))
    assert text.count("6 turns, 6 pauses in them") == 2
    assert "| v1-mini alone | 0.0% | 0.0% | 200 ms | 200 ms |" in text
    assert "| silence alone | 100.0% | 0.0% | 500 ms | 500 ms |" in text


class HalfSure:
    """Is surer the longer it has listened, and hears a whole sentence after a second."""

    async def judge(self, sound: Pcm, language: str | None) -> Said:
        sure = min(0.9, len(sound) / RATE / 2)
        return Said(sure, sure, "Where is Rome?" if len(sound) >= RATE else "Where")


def test_eot_benchs_harness_is_given_a_probability_for_each_moment() -> None:
    def item(sound: NDArray[np.float64]) -> HarnessItem:
        return {"audio": {"array": sound, "sampling_rate": 48_000}}

    adapter = HarnessAdapter(HalfSure)
    early, late = adapter.predict_batch([item(np.zeros(24_000)), item(np.zeros(72_000))])
    assert 0 < early < 0.2 < late < 1
    with pytest.raises(ValueError, match=r"audio\.array: 2 dimensions"):
        adapter.predict_batch([item(np.zeros((2, 8)))])
