"""What the measurement of calls in rooms is made of: where each millisecond is found, and what is written down."""

import json
from base64 import b64encode
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.gpu.room_caller import HEIGHT, WIDTH, scenes
from tests.gpu.room_table import PATH, SHADE, HeardTurn, figures, step_rows, steps, told_rows, verdict
from tests.gpu.room_tap import SessionTap, with_full_stop
from tests.gpu.sections import Row

TURN = HeardTurn(room=0, token="t", ended=100.0, began=100.68)
LOUD, FAINT = b64encode(np.full(480, 900, "<i2").tobytes()).decode(), b64encode(bytes(960)).decode()
MOMENTS = {"created": 50.0, "aura_began": 49.8, "first_text": 49.82, "qwen3_tts_began": 49.83, "code2wav_began": 49.85}


def said(**event: Any) -> str:
    return json.dumps(event, separators=(",", ":"))


def a_turn() -> list[Row]:
    """One question, answered 680 ms after its end: the pipeline was done 140 ms before it was asked."""
    tap = SessionTap(3)
    timings = json.dumps(MOMENTS | {"first_pcm": 49.86, "first_sent": 50.002})
    up = (
        (99.7, said(type="input_audio_buffer.append", audio=LOUD)),
        (100.05, said(type="input_audio_buffer.append", audio=LOUD)),
        (100.1, said(type="input_audio_buffer.append", audio=FAINT)),
        (100.3, said(type="input_audio_buffer.activity", speaking=False, audio_ms=3)),
        (100.5, said(type="input_audio_buffer.commit")),
        (100.51, said(type="response.create", event_id="ask_1", response={"metadata": {"client_event_id": "ask_1"}})),
    )
    down = (
        (1.0, said(type="session.created", session={"aura": {"resume_token": "t"}})),
        (100.512, said(type="response.created", response={"id": "r", "metadata": {"client_event_id": "ask_1"}})),
        (100.515, said(type="response.output_audio.delta", response_id="r", delta=LOUD)),
        (100.6, said(type="response.output_audio.delta", response_id="r", delta=LOUD)),
        (
            103.0,
            said(type="response.done", response={"id": "r", "status": "completed", "metadata": {"timings": timings}}),
        ),
    )
    rows = [row for at, text in up for row in tap.up(text, at)] + [
        row for at, text in down for row in tap.down(text, at)
    ]
    return sorted(rows, key=lambda row: float(row["at"]))


def test_the_steps_that_a_person_waits_for_are_together_what_they_waited() -> None:
    took = steps(TURN, a_turn())
    assert sum(took[name] for name in PATH) == pytest.approx(0.68)
    in_ms = {name: round(1_000 * seconds) for name, seconds in took.items()}
    assert [in_ms[name] for name in PATH] == [50, 250, 200, 10, 5, 165]
    assert [in_ms[name] for name in SHADE] == [10, 20, 30, 10, 140, 3]


def test_a_turn_is_found_by_its_sessions_token_and_one_of_which_nothing_is_known_is_left_out() -> None:
    stranger = HeardTurn(room=1, token="other", ended=100.0, began=100.5)
    rows = step_rows([TURN, stranger], a_turn())
    assert {row["step"]: row["n"] for row in rows} == dict.fromkeys((*PATH, *SHADE), 1)


def test_what_is_said_of_itself_is_not_taken_for_the_answer() -> None:
    says = said(type="response.create", response={"metadata": {"say": "Hello."}})
    greeting = list(SessionTap(3).up(says, 100.513))
    assert [row["said"] for row in greeting] == [True]
    rows = sorted([*a_turn(), *greeting], key=lambda row: float(row["at"]))
    assert steps(TURN, rows) == steps(TURN, a_turn())


def test_what_is_written_down_holds_no_words_and_no_sound() -> None:
    tap = SessionTap(1)
    told = [
        *tap.up(said(type="conversation.item.create", item={"content": [{"text": "a secret"}]}), 1.0),
        *tap.up('{"type":"input_video_buffer.append","image":"never parsed', 1.0),
        *tap.down(said(type="input_audio_buffer.partial", text="a secret", settled=True, kind="speech"), 2.0),
        *tap.down(said(type="response.output_audio_transcript.delta", delta="a secret"), 3.0),
    ]
    assert told == [{"session": 1, "at": 2.0, "type": "input_audio_buffer.partial", "settled": True, "kind": "speech"}]


def test_a_full_stop_is_put_behind_what_is_settled_and_behind_nothing_else() -> None:
    def partial(text: str, *, settled: bool) -> str:
        return said(type="input_audio_buffer.partial", text=text, settled=settled)

    assert json.loads(with_full_stop(partial("the the", settled=True)))["text"] == "the the."
    whole = (partial("the the", settled=False), partial("", settled=True), partial("Is it?", settled=True))
    others = (said(type="response.output_audio_transcript.delta", delta="the"),)
    assert [with_full_stop(text) for text in (*whole, *others)] == [*whole, *others]


def test_figures_leave_out_what_was_answered_too_early_or_not_at_all() -> None:
    heard = [HeardTurn(0, "t", 10.0, 10.0 + wait) for wait in (0.5, 0.6, 0.7)]
    odd = [HeardTurn(0, "t", 10.0, 10.1, early=True), HeardTurn(0, "t", 10.0)]
    stopped = HeardTurn(0, "t", 20.0, 20.6, onset=18.0, quiet=18.4)
    row = figures([*heard, *odd, stopped])
    assert (row["n"], row["early"], row["unanswered"], row["interruptions"]) == (4, 1, 1, 1)
    assert (round(row["heard_ms_p50"]), round(row["heard_ms_most"]), round(row["silent_ms_p50"])) == (600, 700, 400)
    assert verdict(odd) == {"met": "nothing was heard"}


def test_each_number_that_the_agent_publishes_has_a_row() -> None:
    told = (
        '{"response_id": "r", "speech_end_to_first_audio_ms": 500, "waited_ms": {"asr": 10}}',
        "",
        '{"waited_ms": {"asr": 20}}',
    )
    rows = told_rows([HeardTurn(0, "t", 10.0, told=each) for each in told])
    assert [(row["attribute"], row["n"], row["p50"]) for row in rows] == [
        ("speech_end_to_first_audio_ms", 1, 500.0),
        ("waited_ms.asr", 2, 15.0),
    ]


@pytest.mark.parametrize(("wait", "met"), [(0.55, "goal"), (0.69, "must"), (0.71, "no")])
def test_the_verdict_says_which_bound_is_met(wait: float, met: str) -> None:
    assert verdict([HeardTurn(0, "t", 0.0, wait)])["met"] == met


def test_a_camera_shows_pictures_that_differ_as_i420() -> None:
    pictures = scenes(1)
    assert {len(each) for each in pictures} == {WIDTH * HEIGHT * 3 // 2}
    assert all(one != other for one, other in pairwise(pictures))
