"""What becomes of an answer over which somebody makes a sound: the real recogniser on virtual time, without a room."""

from pathlib import Path

import numpy as np
import pytest

from agent.turns.endpointing import TURNS
from infra.bench.base.speech import PersonVoice, Sound
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import Case, CaseClass
from infra.bench.turn_taking.sounds.noises import muffled, quieter
from infra.bench.turn_taking.sounds.pauses import paused_turn
from infra.bench.turn_taking.sounds.voices import levelled
from infra.bench.turn_taking.story import QUESTION
from infra.bench.turn_taking.virtual.over_answers import run_offline
from infra.bench.turn_taking.virtual.pauses import run_offline_pauses
from infra.bench.turn_taking.virtual.recorded_recogniser import RecordedRecogniser
from pipeline.engines.smart_turn.model import NAME, SmartTurnModel

pytestmark = pytest.mark.contract

PASS_S = 0.45


class Calls:
    """Somebody who makes one sound in each call."""

    def __init__(self, models_dir: Path, record: Path, pass_s: float = PASS_S) -> None:
        self.recogniser = RecordedRecogniser(models_dir / "whisper-base", record, pass_s)
        self._voice = PersonVoice()

    def said(self, text: str) -> Sound:
        return levelled(self._voice.say(text))

    def outcome(self, kind: CaseClass, sound: Sound) -> Outcome:
        outcomes: list[Outcome] = []
        case = Case(kind, kind, "en", sound)
        question = self.said(QUESTION)
        run_offline([case], TURNS["browser"], self.recogniser, question, lambda _, outcome: outcomes.append(outcome))
        (outcome,) = outcomes
        return outcome


@pytest.fixture(scope="module")
def calls(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Calls:
    return Calls(models_dir, tmp_path_factory.mktemp("turn-taking") / "heard.jsonl")


@pytest.mark.parametrize("text", ["Stop.", "No, wait.", "What is the capital of Italy?"])
def test_an_interruption_stops_it(calls: Calls, text: str) -> None:
    outcome = calls.outcome("interruption", calls.said(text))
    assert (outcome.fate, outcome.reason) == ("stopped", "words"), outcome
    assert outcome.silence_s is not None and outcome.silence_s < 0.5


@pytest.mark.parametrize("text", ["Uh-huh.", "Mhm.", "Yeah.", "Okay.", "I see."])
def test_a_backchannel_pauses_it_at_most(calls: Calls, text: str) -> None:
    outcome = calls.outcome("backchannel", calls.said(text))
    assert outcome.is_right("backchannel"), outcome


def test_somebody_elsewhere_in_the_room_does_not_even_pause_it(calls: Calls) -> None:
    aside = quieter(muffled(calls.said("Could you close the door, please?")), 16)
    outcome = calls.outcome("aside", aside)
    assert (outcome.fate, outcome.silence_s, outcome.heard) == ("went_on", None, ()), outcome


def test_somebody_who_turns_away_to_say_something_does_not_stop_it(calls: Calls) -> None:
    outcome = calls.outcome("aside", quieter(calls.said("Could you close the door, please?"), 10))
    assert (outcome.is_right("aside"), outcome.reason) == (True, "aside"), outcome


def paused(calls: Calls, models_dir: Path, text: str) -> Outcome:
    """What becomes of a turn with a pause at each `|`."""
    turn = paused_turn(text, calls.said, np.random.default_rng(5))
    case = Case("pause", text, "en", turn.sound, turn.pause_at_s, turn.longest_pause_s, turn.pauses)
    outcomes: list[Outcome] = []
    smart_turn = SmartTurnModel(models_dir / NAME)
    run_offline_pauses(
        [case], TURNS["browser"], calls.recogniser, smart_turn, lambda _, outcome: outcomes.append(outcome)
    )
    (outcome,) = outcomes
    return outcome


def test_a_turn_with_a_pause_is_answered_behind_its_end(calls: Calls, models_dir: Path) -> None:
    outcome = paused(calls, models_dir, "I would like to | book a table for two.")
    assert outcome.fate == "answered", outcome
    assert sum("vote" in line for line in outcome.heard) == 2, "each pause is judged once"
    assert "vote none" not in "".join(outcome.heard), outcome


def test_words_that_are_known_as_soon_as_the_person_pauses_are_asked(models_dir: Path, tmp_path: Path) -> None:
    at_once = Calls(models_dir, tmp_path / "heard.jsonl", pass_s=0.02)
    outcome = paused(at_once, models_dir, "What is the capital of Italy?")
    assert "words True" in outcome.heard[-1], outcome
    assert outcome.resumed_s is not None and outcome.resumed_s < TURNS["browser"].longest_end_s, outcome


def test_what_was_heard_once_is_not_computed_again(calls: Calls, models_dir: Path, tmp_path: Path) -> None:
    record = tmp_path / "heard.jsonl"
    first = Calls(models_dir, record)
    outcome = first.outcome("interruption", first.said("Stop."))
    lines = record.read_text().splitlines()
    again = Calls(models_dir, record)
    assert again.outcome("interruption", again.said("Stop.")) == outcome
    assert record.read_text().splitlines() == lines
    assert again.recogniser.passes == first.recogniser.passes > 0
