"""When a person starts, pauses, goes on and has finished, frame by frame."""

import pytest

from pipeline.speech.voice_activity import FRAME_MS, VoiceActivity, VoiceActivityChange
from pipeline.types.session_options import Endpointing

LOUD, QUIET = 0.9, 0.1


def test_speech_starts_once_it_has_lasted_for_the_onset() -> None:
    assert changes(follow([LOUD] * 5, Endpointing(onset_ms=96))) == [(96, VoiceActivityChange.STARTED)]


def test_shorter_sounds_do_not_add_up_to_a_start() -> None:
    assert changes(follow([LOUD, LOUD, QUIET] * 20, Endpointing(onset_ms=96))) == []


def test_silence_is_first_a_pause_and_then_the_end() -> None:
    frames = [LOUD] * 3 + [QUIET] * 40
    assert changes(follow(frames, Endpointing(pause_ms=256, end_ms=512))) == [
        (96, VoiceActivityChange.STARTED),
        (96 + 256, VoiceActivityChange.PAUSED),
        (96 + 512, VoiceActivityChange.ENDED),
    ]


def test_the_turn_never_ends_by_itself_if_somebody_else_decides_that() -> None:
    frames = [LOUD] * 3 + [QUIET] * 10_000
    assert [change for _, change in changes(follow(frames, Endpointing(end_ms=None)))] == [
        VoiceActivityChange.STARTED,
        VoiceActivityChange.PAUSED,
    ]


def test_an_end_that_comes_before_the_pause_needs_no_pause() -> None:
    frames = [LOUD] * 3 + [QUIET] * 40
    assert [change for _, change in changes(follow(frames, Endpointing(pause_ms=256, end_ms=128)))] == [
        VoiceActivityChange.STARTED,
        VoiceActivityChange.ENDED,
    ]


def test_speech_after_a_pause_is_a_resumption_once_it_has_lasted_for_the_onset() -> None:
    frames = [LOUD] * 3 + [QUIET] * 8 + [LOUD] * 3 + [QUIET] * 16
    assert changes(follow(frames, Endpointing(onset_ms=96, pause_ms=256, end_ms=512))) == [
        (96, VoiceActivityChange.STARTED),
        (352, VoiceActivityChange.PAUSED),
        (448, VoiceActivityChange.RESUMED),
        (704, VoiceActivityChange.PAUSED),
        (960, VoiceActivityChange.ENDED),
    ]


def test_a_click_in_a_pause_is_no_resumption_and_silence_counts_from_it_anew() -> None:
    frames = [LOUD] * 3 + [QUIET] * 8 + [LOUD] + [QUIET] * 16
    assert changes(follow(frames, Endpointing(onset_ms=96, pause_ms=256, end_ms=512))) == [
        (96, VoiceActivityChange.STARTED),
        (352, VoiceActivityChange.PAUSED),
        (384 + 512, VoiceActivityChange.ENDED),
    ]


def test_speech_that_goes_on_may_be_softer_than_speech_that_starts() -> None:
    softer = 0.36
    endpointing = Endpointing(threshold=0.5, pause_ms=64)
    assert changes(follow([softer] * 20, endpointing)) == []
    assert changes(follow([LOUD] * 3 + [softer] * 20, endpointing)) == [(96, VoiceActivityChange.STARTED)]
    too_soft = 0.34
    assert changes(follow([LOUD] * 3 + [too_soft] * 20, endpointing))[1] == (160, VoiceActivityChange.PAUSED)


@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.15, 0.2])
def test_a_turn_ends_however_low_the_threshold(threshold: float) -> None:
    silence = threshold / 4
    told = changes(follow([LOUD] * 3 + [silence] * 16, Endpointing(threshold=threshold, end_ms=512)))
    assert told[-1] == (96 + 512, VoiceActivityChange.ENDED)


def test_after_a_pause_speech_must_be_as_clear_as_at_the_start() -> None:
    frames = [LOUD] * 3 + [QUIET] * 8 + [0.4] * 20
    assert [change for _, change in changes(follow(frames, Endpointing()))] == [
        VoiceActivityChange.STARTED,
        VoiceActivityChange.PAUSED,
    ]


def test_after_an_end_the_next_turn_starts_like_the_first() -> None:
    turn = [LOUD] * 3 + [QUIET] * 16
    told = changes(follow(turn * 3, Endpointing(end_ms=512)))
    assert [change for _, change in told] == [
        VoiceActivityChange.STARTED,
        VoiceActivityChange.PAUSED,
        VoiceActivityChange.ENDED,
    ] * 3


def test_a_turn_that_somebody_else_ended_starts_anew() -> None:
    activity = VoiceActivity(Endpointing(onset_ms=96))
    for _ in range(4):
        activity.feed(LOUD)
    activity.reset()
    assert [activity.feed(LOUD) for _ in range(3)] == [None, None, VoiceActivityChange.STARTED]


def follow(probabilities: list[float], endpointing: Endpointing) -> list[VoiceActivityChange | None]:
    activity = VoiceActivity(endpointing)
    return [activity.feed(probability) for probability in probabilities]


def changes(told: list[VoiceActivityChange | None]) -> list[tuple[int, VoiceActivityChange]]:
    """Each change with the end of its frame in milliseconds."""
    return [(at * FRAME_MS, change) for at, change in enumerate(told, start=1) if change]
