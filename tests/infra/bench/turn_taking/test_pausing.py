"""Turns with pauses: how they are made, and what is judged of them."""

import threading
from contextlib import closing
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import numpy as np
import pytest

from agent.turns.endpointing import Turns
from agent.turns.turn_events import PartialHeard
from infra.bench.base.speech import RATE, Sound
from infra.bench.person.recording import Stretch
from infra.bench.turn_taking.pausing import judge_turn
from infra.bench.turn_taking.sounds.pauses import paused_turn
from infra.bench.turn_taking.virtual.held_back import TakenTurn
from infra.bench.turn_taking.virtual.pauses import FIRST_S, UNDECIDED, _TakingAgent, judged
from infra.bench.turn_taking.virtual.recorded_next_words import RecordedNextWords
from pipeline.aio.tasks import BackgroundTasks
from pipeline.errors import ConfigError

PAUSED, ENDED = 10.0, 13.0


def tone(text: str) -> Sound:
    """Half a second a word."""
    return (8_000 * np.sin(np.arange(round(len(text.split()) * RATE / 2)) / 5)).astype(np.int16)


def test_a_turn_is_silent_where_somebody_pauses() -> None:
    turn = paused_turn("one two | three four", tone, np.random.default_rng(3))
    begin = round(turn.pause_at_s * RATE)
    silent = turn.sound[begin : begin + round(turn.longest_pause_s * RATE)]
    assert turn.pauses == 1
    assert turn.longest_pause_s >= 0.1
    assert not silent.any()
    assert turn.pause_at_s == pytest.approx(1.0, abs=0.2)
    assert len(turn.sound) / RATE == pytest.approx(2.0 + turn.longest_pause_s, abs=0.05)


@pytest.mark.parametrize(
    ("stretches", "fate", "answered_s"),
    [
        ([], "unanswered", None),
        ([Stretch(2.0, 9.0)], "unanswered", None),
        ([Stretch(2.0, 9.0), Stretch(14.5, 16.0)], "answered", 1.5),
        ([Stretch(11.0, 11.5), Stretch(14.5, 16.0)], "cut_in", None),
        ([Stretch(12.9, 16.0)], "cut_in", None),
    ],
)
def test_what_is_heard_before_a_turn_is_over_cuts_in(
    stretches: list[Stretch], fate: str, answered_s: float | None
) -> None:
    outcome = judge_turn(stretches, PAUSED, ENDED)
    assert (outcome.fate, outcome.resumed_s) == (fate, answered_s)


TURNS = Turns(interrupt_s=0.2)
UNFINISHED, OVER = 0.001, 0.9  # what a language model says of words


def test_an_answer_is_heard_later_where_the_language_model_doubts_that_the_person_has_finished() -> None:
    taken = TakenTurn(10.35, 10.0, 0.6, "I would like to")
    assert taken.heard_from(OVER) == taken.heard_from(None) == 10.35
    held = taken.heard_from(UNFINISHED)
    assert held > 10.35 + 2 * FIRST_S
    assert TakenTurn(15.0, 10.0, 0.6, "I would like to").heard_from(UNFINISHED) == 15.0
    goes_on = [8.0, 11.1]
    assert judged([(10.35, 10.35 + FIRST_S), (13.6, 14.0)], goes_on, PAUSED, ENDED, TURNS).fate == "cut_in"
    assert judged([(10.35, held), (13.6, 14.0)], goes_on, PAUSED, ENDED, TURNS).fate == "answered"


@pytest.mark.parametrize(
    ("taken", "resumed", "fate", "answered_s"),
    [
        ([], [8.0], "unanswered", None),
        ([13.6], [8.0, 11.0], "answered", 1.0),
        ([10.35, 13.6], [8.0, 11.0], "cut_in", None),  # its answer is heard 0.25 s before they go on
        ([10.9, 13.6], [8.0, 11.0], "answered", 1.0),  # they go on before it is heard, and stop it
        ([10.75, 13.6], [8.0, 11.0], "cut_in", None),  # too late to stop it: 0.15 s
        ([9.0, 13.6], [8.0, 11.0], "answered", 1.0),  # of something said before
    ],
)
def test_an_answer_on_virtual_time_is_heard_unless_they_go_on_in_time(
    taken: list[float], resumed: list[float], fate: str, answered_s: float | None
) -> None:
    outcome = judged([(at, at + FIRST_S) for at in taken], resumed, PAUSED, ENDED, TURNS)
    assert outcome.fate == fate
    assert outcome.resumed_s == (answered_s and pytest.approx(answered_s))


def test_what_the_language_model_has_said_is_not_asked_again_and_nothing_of_short_answers(tmp_path: Path) -> None:
    record = tmp_path / "next-words.jsonl"
    record.write_text('{"words": "I would like to", "over": 0.001}\n')
    with closing(RecordedNextWords(tmp_path / "there are no models", record)) as model:
        assert model.said_over("I would like to") == 0.001
        assert model.said_over("In Berlin.") is None
        with pytest.raises(ConfigError):
            model.said_over("I would like tea.")


def test_the_thread_that_asks_ends_though_the_model_cannot_be_closed(tmp_path: Path) -> None:
    async def breaks() -> None:
        raise RuntimeError("it does not end")

    model = RecordedNextWords(tmp_path, tmp_path / "next-words.jsonl")
    model._open.push_async_callback(breaks)
    with pytest.raises(RuntimeError, match="it does not end"):
        model.close()
    assert "next-words" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.anyio
async def test_what_was_heard_of_a_turn_that_was_taken_says_nothing_of_the_next() -> None:
    async with BackgroundTasks() as tasks:
        agent = _TakingAgent(TURNS, cast(Any, Mock()), cast(Any, None), tasks)
        agent.hears(PartialHeard("", "I would like to", "speech", audio_end_ms=2_000, settled=True))
        agent.voted(0.9)
        agent.take_turn("words")
        agent.take_turn("timeout")
        await agent.aclose()
    assert [(each.words, each.sound) for each in agent.taken] == [("I would like to", 0.9), ("", UNDECIDED)]
