"""What callers of a load test do, how they hear it, and what is told of it."""

import re
from collections import Counter

import pytest

from infra.bench.base.figures import percentile
from infra.bench.base.speaking import BYTES_S, silence
from infra.bench.load.answer import MeasuredAnswer, Served
from infra.bench.load.caller import FRAME_S
from infra.bench.load.events import Heard, UnreadableServerEvent, read
from infra.bench.load.playback import Gap, Playback
from infra.bench.load.report import Load, plain, series, shares, table
from infra.bench.load.script import CallerProfile, arrivals, camera_starts, script
from pipeline.realtime.client import Event


def test_a_script_depends_on_its_seed_and_its_caller_only() -> None:
    manner = CallerProfile(turns=20, recordings=5, interruptions=0.5, pause_s=2.0)
    asks = script(7, 3, manner)
    assert asks == script(7, 3, manner)
    assert asks != script(7, 4, manner) != script(8, 4, manner)
    assert {ask.question for ask in asks} <= set(range(5))
    assert all(1.0 <= ask.pause_s <= 3.0 for ask in asks)
    assert 4 <= sum(ask.interrupt_after_s is not None for ask in asks) <= 16


def test_questions_end_at_any_time_between_two_frames_of_the_camera() -> None:
    ends = []
    for caller in range(50):
        at = -camera_starts(1, caller, FRAME_S)
        for ask in script(1, caller, CallerProfile(turns=4, recordings=1, pause_s=0.5)):
            at += len(silence(ask.pause_s)) / BYTES_S + 3.0
            ends.append(at % FRAME_S)
    tenths = Counter(int(10 * end / FRAME_S) for end in ends)
    assert all(8 <= tenths[tenth] <= 32 for tenth in range(10)), tenths
    assert len(set(ends)) > 190, "not in steps"


def test_nobody_interrupts_unless_told_to() -> None:
    assert all(ask.interrupt_after_s is None for ask in script(1, 0, CallerProfile(50, 3)))


def test_callers_of_an_open_loop_ring_up_as_often_as_asked() -> None:
    rings = arrivals(1, calls_a_minute=30, minutes=20)
    assert list(rings) == sorted(rings)
    assert rings == arrivals(1, 30, 20)
    assert len(rings) == pytest.approx(600, rel=0.15)
    assert rings[-1] < 1200


def test_playback_waits_when_a_piece_comes_late_and_says_how_long() -> None:
    playback = Playback()
    playback.feed(10.0, 1.0)
    playback.feed(10.5, 0.5)
    assert (playback.ends, playback.gaps) == (11.5, [])
    playback.feed(12.0, 1.0)
    assert (playback.ends, playback.gaps, playback.sound_s) == (13.0, [Gap(0.5, after_s=1.5)], 2.5)


def test_a_percentile_is_a_value_that_was_seen() -> None:
    assert [percentile(range(1, 21), each) for each in (50, 95, 99, 0)] == [10, 19, 20, 1]


def timed(timings: str) -> Event:
    return {"type": "response.done", "response": {"status": "completed", "metadata": {"timings": timings}}}


def served(**what: object) -> Served:
    whole = {"at": 0.0, "status": "completed", "first_text": 0.1, "first_audio": 0.2, "done": 1.0, "audio_s": 2.0}
    return Served(**{**whole, "gaps": (), **what})  # type: ignore[arg-type]


def test_the_report_holds_what_was_seen_and_the_share_of_each_step() -> None:
    moments = {"seen": 0.75, "speech_end": 1.0, "committed": 2.0, "created": 2.0, "first_text": 2.3, "first_pcm": 2.4}
    cancelled = served(status="cancelled", done=0.5, released=0.01, last_audio=0.0)
    answered = served(moments=moments, gaps=(Gap(0.25, after_s=0.08),))
    load = Load("closed, 1 callers", 9.0, (answered, cancelled), refused=1)
    assert series(load) == {
        "create → first text": [100.0, 100.0],
        "create → first audio": [200.0, 200.0],
        "create → done": [1000.0],
        "cancel → done": [10.0],
        "cancel → last audio": [0.0],
        "frame seen → commit": [1250.0],
        "gap in playback": [250.0],
    }
    assert shares(load.served) == {
        "committed → created": pytest.approx(0.0),
        "created → first_text": pytest.approx(300.0),
        "first_text → first_pcm": pytest.approx(100.0),
    }
    heard = served(moments={**moments, "first_sent": 2.41}, first_audio=0.415)
    assert shares([heard])["wire"] == pytest.approx(5.0)
    guessed = served(moments={"committed": 2.0, "created": 2.0, "first_pcm": 1.8, "first_sent": 2.0})
    assert list(shares([guessed])) == ["first_pcm → committed", "committed → created", "created → first_sent", "wire"]
    text = table(load)
    assert "2 questions in 9 s, 1 completed, 1 cancelled; 1 calls refused" in text
    assert "75%" in text and "25%" in text
    assert plain(load)["figures_ms"]["cancel → done"] == {"p50": 10.0, "p95": 10.0, "p99": 10.0}  # type: ignore[index]


def done(usage: object) -> Heard:
    heard = read({"type": "response.done", "response": {"status": "completed", "usage": usage}})
    assert heard
    return heard


def test_what_was_left_to_read_is_told_if_the_server_tells() -> None:
    answer = MeasuredAnswer(asked=1.0)
    answer.note(done(None), 2.0)
    assert answer.served(0.0).unread is None
    answer.note(done({"input_token_details": {"cached_tokens": 880}}), 2.0)
    assert answer.served(0.0).unread is None
    answer.note(done({"input_tokens": 900, "input_token_details": {"cached_tokens": 880}}), 2.0)
    assert answer.served(0.0).unread == 20
    load = Load("closed, 1 callers", 9.0, (served(unread=20), served(unread=330), served(unread=40), served()))
    assert "40 tokens of a prompt were left to read when it was asked, 330 at most" in table(load)


def test_the_report_of_a_run_without_a_question_is_whole_sentences() -> None:
    assert table(Load("closed, 1 callers", 0.2, (), failed=1)).startswith(
        "closed, 1 callers: 0 questions in 0 s; 0 calls refused, 1 broke off; 0 s of answers"
    )


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({}, "the server sent an event without a type"),
        ({"type": 5}, "the server sent an event without a type"),
        ({"type": "response.output_audio.delta"}, "missing required field `delta`"),
        ({"type": "response.output_audio.delta", "delta": 5}, "Expected `str`, got `int` - at `$.delta`"),
        ({"type": "response.output_text.delta", "delta": None}, "Expected `str`, got `null` - at `$.delta`"),
        ({"type": "error", "error": None}, "Expected `object`, got `null` - at `$.error`"),
        ({"type": "response.done", "response": None}, "Expected `object`, got `null` - at `$.response`"),
        ({"type": "response.done", "response": {}}, "missing required field `status` - at `$.response`"),
        (timed("oops"), "JSON is malformed"),
        (timed("[1]"), "Expected `object`, got `array`"),
        (timed('{"created": "now"}'), "Expected `float`, got `str`"),
    ],
)
def test_an_event_that_cannot_be_read_is_named_with_its_field(event: Event, reason: str) -> None:
    with pytest.raises(UnreadableServerEvent, match=re.escape(reason)):
        read(event)


def test_an_event_that_says_nothing_of_an_answer_may_be_anything() -> None:
    assert read({"type": "rate_limits.updated", "delta": 5, "error": None, "response": []}) is None
