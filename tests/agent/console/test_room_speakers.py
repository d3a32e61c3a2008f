"""The sound of a room, mixed: what plays takes it from another thread than that which brings it."""

import numpy as np

from agent.console.room_speakers import CUSHION_BYTES, MOST_BYTES, RoomSpeakers


def sound(value: int, length: int) -> bytes:
    return np.full(length // 2, value, np.int16).tobytes()


def test_a_track_is_heard_as_soon_as_there_is_a_cushion_of_it() -> None:
    speakers = RoomSpeakers()
    speakers.play("ann", sound(5, CUSHION_BYTES - 2))
    assert speakers.take(4) == sound(0, 4)
    speakers.play("ann", sound(5, 2))
    assert speakers.take(CUSHION_BYTES) == sound(5, CUSHION_BYTES)


def test_a_track_that_falls_behind_gathers_a_new_cushion() -> None:
    speakers = RoomSpeakers()
    speakers.play("ann", sound(5, CUSHION_BYTES))
    assert speakers.take(CUSHION_BYTES + 4) == sound(5, CUSHION_BYTES) + sound(0, 4)
    speakers.play("ann", sound(5, 4))
    assert speakers.take(4) == sound(0, 4)


def test_all_tracks_are_heard_at_once_and_none_too_loud_for_16_bits() -> None:
    speakers = RoomSpeakers()
    speakers.play("ann", sound(30_000, CUSHION_BYTES))
    speakers.play("ben", sound(2_000, CUSHION_BYTES))
    speakers.play("eve", sound(-1_000, CUSHION_BYTES))
    assert speakers.take(4) == sound(31_000, 4)
    speakers.drop("eve")
    speakers.play("cat", sound(3_000, CUSHION_BYTES))
    assert speakers.take(4) == sound(32_767, 4)


def test_what_is_too_old_has_been_missed() -> None:
    speakers = RoomSpeakers()
    speakers.play("ann", sound(1, 1_000) + sound(2, MOST_BYTES))
    assert speakers.take(MOST_BYTES) == sound(2, MOST_BYTES)
    assert speakers.take(4) == sound(0, 4)
