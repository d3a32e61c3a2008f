"""The clock of one connection: marks are placed in the sound that has left, pictures in the time that has passed."""

import numpy as np

from agent.livekit.input_stream import ActivityMark, AudioPiece, BufferMark, CameraPicture, InputClock
from pipeline.vision.video_buffer import VideoBuffer


def sound(taken_at: float) -> AudioPiece:
    return AudioPiece(b"\1\0", 0.05, taken_at)


def stamps(clock: InputClock, *moments: float) -> list[int]:
    return [clock.event(CameraPicture(b"", moment))["timestamp_ms"] for moment in moments]


def test_a_picture_says_what_it_is_of() -> None:
    clock = InputClock()
    sources = [clock.event(CameraPicture(b"", 0.0, source))["source"] for source in ("camera", "screen")]
    assert sources == ["camera", "screen"]


def test_a_camera_without_a_microphone_has_a_clock_that_goes_on() -> None:
    moments = [100 + each / 2 for each in range(120)]
    assert stamps(InputClock(), *moments) == [500 * each for each in range(120)]


def test_every_frame_of_a_camera_without_a_microphone_is_kept_by_the_pipeline() -> None:
    seen, pixels = VideoBuffer("camera"), np.zeros((32, 32, 3), np.uint8)
    moments = stamps(InputClock(), *(100 + each / 2 for each in range(120)))
    assert [seen.feed(pixels, at_ms) for at_ms in moments] == [True] * 120


def test_pictures_are_placed_in_the_sound_around_them() -> None:
    clock = InputClock()
    for each in range(20):
        clock.event(sound(10.05 + each / 20))
    assert stamps(clock, 11.0) == [1_000]


def test_a_muted_track_stops_no_picture_and_turns_no_clock_back() -> None:
    clock = InputClock()
    clock.event(sound(10.05))
    muted = stamps(clock, 10.5, 20.0)
    clock.event(sound(20.1))
    assert muted + stamps(clock, 20.5) == [500, 10_000, 10_500]


def test_a_picture_that_was_taken_before_the_first_sound_and_leaves_after_it_is_at_zero() -> None:
    clock = InputClock()
    clock.event(sound(10.05))
    assert stamps(clock, 9.9) == [0]


def test_activity_is_placed_in_the_sound_that_has_left() -> None:
    clock = InputClock()
    assert clock.event(ActivityMark(True, 50.0))["audio_ms"] == 0
    for each in range(20):
        clock.event(sound(each * 60.0))
    assert clock.event(ActivityMark(False, 250.0)) == {
        "type": "input_audio_buffer.activity",
        "speaking": False,
        "audio_ms": 750,
    }


def test_a_mark_is_the_event_of_its_name() -> None:
    events = [InputClock().event(BufferMark("commit")), InputClock().event(BufferMark("clear"))]
    assert events == [{"type": "input_audio_buffer.commit"}, {"type": "input_audio_buffer.clear"}]
