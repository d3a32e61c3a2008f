"""When a pass over the sound of an utterance is due, up to where it reads, and whether what comes of it stands."""

import numpy as np
import pytest

from pipeline.speech.confirmed_text import LEAST_MS
from pipeline.speech.pass_schedule import AGAIN_MS, QUICK_S, PassSchedule
from pipeline.speech.speech_window import FULL_WINDOW_MS, LULL_MS, SpeechWindow
from pipeline.speech.vad_frontend import FRAME
from pipeline.speech.voice_activity import FRAME_MS
from pipeline.types.chunks import AsrInput, Transcript


class Speech:
    """Fills a window, and has passes over it made."""

    def __init__(self, partial_ms: int | None = None) -> None:
        self.window = SpeechWindow(keeps=True)
        self.passes = PassSchedule(self.window, partial_ms)

    def sounds(self, ms: int, *, voiced: bool = True) -> None:
        for _ in range(ms // FRAME_MS):
            self.window.add(np.zeros(FRAME, np.float32), voiced=voiced)

    def pauses(self, silent_ms: int = 0) -> None:
        self.window.pause(silent_ms)

    def begin(self) -> AsrInput:
        assert self.passes.is_due
        return self.passes.begin("en", "", 0.0)

    def end(self, window: AsrInput, after_s: float = 0.1) -> bool:
        return self.passes.end(Transcript("Well.", window.audio_end_ms, window.settles), after_s)


@pytest.fixture
def speech() -> Speech:
    return Speech()


def test_running_speech_is_read_as_often_as_was_asked_for_and_settles_nothing() -> None:
    speech = Speech(partial_ms=320)
    speech.sounds(288)
    assert not speech.passes.is_due
    speech.sounds(32)
    window = speech.begin()
    assert (window.audio_end_ms, window.settles) == (320, False)
    assert speech.end(window)
    speech.sounds(288)
    assert not speech.passes.is_due


@pytest.mark.parametrize(("took_s", "next_ms"), [(0.0, 320), (QUICK_S, 320), (QUICK_S + 0.001, 800), (0.4, 800)])
def test_running_speech_is_read_more_often_while_the_recogniser_is_quick(took_s: float, next_ms: int) -> None:
    speech = Speech(partial_ms=800)
    speech.sounds(800)
    speech.end(speech.begin(), took_s)
    speech.sounds(next_ms - FRAME_MS)
    assert not speech.passes.is_due
    speech.sounds(FRAME_MS)
    assert speech.begin().audio_end_ms == 800 + next_ms


def test_after_a_pass_that_failed_running_speech_is_not_read_more_often() -> None:
    speech = Speech(partial_ms=800)
    speech.sounds(800)
    speech.end(speech.begin(), 0.0)
    speech.sounds(320)
    speech.begin()
    speech.passes.miss(at_once=False)
    speech.sounds(800 - FRAME_MS)
    assert not speech.passes.is_due
    speech.sounds(FRAME_MS)
    assert speech.passes.is_due


def test_running_speech_of_which_nobody_wants_to_know_is_read_in_a_lull_and_that_settles(speech: Speech) -> None:
    speech.sounds(960)
    assert not speech.passes.is_due
    speech.sounds(LULL_MS, voiced=False)
    window = speech.begin()
    assert (window.audio_end_ms, window.settles) == (960 + LULL_MS, True)


def test_no_pass_over_running_speech_begins_where_a_lull_may_follow() -> None:
    speech = Speech(partial_ms=320)
    speech.sounds(640)
    speech.sounds(32, voiced=False)
    assert not speech.passes.is_due


def test_a_pass_that_settles_takes_the_place_of_one_that_does_not_and_no_other() -> None:
    speech = Speech(partial_ms=320)
    speech.sounds(320)
    running = speech.begin()
    speech.sounds(320)
    assert not speech.passes.is_due, "the recogniser is at work on what would be no worse"
    speech.pauses()
    settling = speech.begin()
    assert settling.settles and not speech.passes.is_due
    assert not speech.end(running) and speech.passes.is_under_way
    assert speech.end(settling) and speech.passes.is_complete


def test_what_was_read_in_the_lull_is_not_read_again_at_the_pause(speech: Speech) -> None:
    speech.sounds(960)
    speech.sounds(LULL_MS, voiced=False)
    assert speech.end(speech.begin())
    speech.sounds(320, voiced=False)
    speech.pauses(silent_ms=320 + LULL_MS)
    assert not speech.passes.is_due and speech.passes.is_complete


@pytest.mark.parametrize(("lull_ms", "read"), [(LEAST_MS - 512, False), (LEAST_MS + 512, True)])
def test_a_lull_that_went_by_is_read_up_to_later_if_it_is_far_enough_in(lull_ms: int, read: bool) -> None:
    speech = Speech(partial_ms=10 * LEAST_MS)
    speech.sounds(lull_ms // FRAME_MS * FRAME_MS)
    speech.sounds(LULL_MS, voiced=False)
    speech.sounds(320)
    assert speech.passes.is_due is read
    if read:
        window = speech.begin()
        assert (window.audio_end_ms, window.settles) == (lull_ms // FRAME_MS * FRAME_MS + LULL_MS, True)
        assert speech.passes.has_unread, "what was said behind the lull"


def test_a_full_window_is_read_though_the_person_speaks_on_and_after_a_failure_not_at_once(speech: Speech) -> None:
    speech.sounds(FULL_WINDOW_MS)
    assert speech.begin().settles
    speech.passes.miss(at_once=False)
    speech.sounds(AGAIN_MS // FRAME_MS * FRAME_MS)
    assert not speech.passes.is_due and not speech.passes.is_complete
    speech.sounds(FRAME_MS)
    assert speech.passes.is_due


def test_what_could_not_be_read_is_read_again_when_the_person_falls_silent_or_at_once() -> None:
    speech = Speech(partial_ms=320)
    speech.sounds(320)
    speech.begin()
    speech.passes.miss(at_once=False)
    speech.pauses()
    assert not speech.passes.is_due
    speech.passes.retry()
    assert speech.begin().audio_end_ms == 320
    speech.passes.miss(at_once=True)
    assert speech.passes.is_due


def test_nothing_is_read_again_where_the_window_begins_anew(speech: Speech) -> None:
    speech.sounds(960)
    speech.pauses()
    assert speech.end(speech.begin())
    speech.window.begin_at(FRAME * 20)
    speech.passes.begin_at(FRAME * 20)
    assert not speech.passes.is_due
    speech.window.resume()
    speech.sounds(32)
    speech.pauses()
    assert speech.begin().audio_end_ms == 10 * FRAME_MS + 32
