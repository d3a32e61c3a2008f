"""Whose a sound is by its loudness: frames of 20 ms, at so many decibels."""

import numpy as np
from numpy.typing import NDArray

from agent.turns.voice_level import NearVoice, VoiceLevel

OWN_DB = 68.0


def frame(db: float) -> NDArray[np.int16]:
    return np.full(480, round(10 ** (db / 20)), np.int16)


def makes(level: VoiceLevel, db: float, frames: int = 50) -> None:
    """A second of sound."""
    level.begin(goes_on=False)
    for _ in range(frames):
        level.hear(frame(db))
    level.pause()


def person(*turns_db: float) -> VoiceLevel:
    level = VoiceLevel()
    for db in turns_db or (OWN_DB,):
        makes(level, db)
        level.take()
        for _ in range(50):
            level.hear(frame(10))
    return level


def test_until_a_turn_is_taken_any_sound_may_be_theirs() -> None:
    level = VoiceLevel()
    assert level.hear(frame(20))
    makes(level, 20)
    assert not level.is_aside


def test_what_is_far_away_is_not_theirs() -> None:
    assert person().hear(frame(OWN_DB - 11))
    assert not person().hear(frame(OWN_DB - 13))


def test_a_gap_between_two_words_is_still_theirs() -> None:
    level = person()
    level.hear(frame(OWN_DB))
    assert all(level.hear(frame(10)) for _ in range(11))
    assert not level.hear(frame(10))


def test_a_sound_is_an_aside_if_its_louder_half_is_much_quieter() -> None:
    level = person()
    makes(level, OWN_DB - 9)
    assert level.is_aside
    makes(level, OWN_DB - 7)
    assert not level.is_aside


def test_how_loud_they_are_follows_their_last_turns_the_quieter_of_two() -> None:
    assert person(80, OWN_DB).hear(frame(OWN_DB - 11))
    assert not person(80, 80, OWN_DB).hear(frame(OWN_DB - 1))
    assert person(80, 80, 80, OWN_DB, OWN_DB, OWN_DB).hear(frame(OWN_DB - 11))


def test_a_sound_of_less_than_160_ms_has_no_loudness() -> None:
    level = VoiceLevel()
    makes(level, OWN_DB, frames=7)
    level.take()
    assert level.hear(frame(0))


def test_over_the_agent_only_who_is_near_is_heard_and_to_their_end() -> None:
    near = NearVoice()
    near.onset(goes_on=False)
    for _ in range(50):
        near.hears(frame(OWN_DB))
    near.pause()
    near.take()
    assert all(near.hears(frame(10)) for _ in range(50))
    near.audible(True)
    assert not near.hears(frame(OWN_DB - 20))
    near.onset(goes_on=False)
    assert near.hears(frame(OWN_DB - 20))
    near.pause()
    assert not near.hears(frame(OWN_DB - 20))


def test_a_sound_holds_until_it_ends() -> None:
    near = NearVoice()
    held = []
    near.hold()
    held.append(near.holds)
    near.onset(goes_on=False)
    near.hold()
    held.append(near.holds)
    near.pause()
    held.append(near.holds)
    assert held == [False, True, False]
