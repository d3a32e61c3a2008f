"""One channel of a record: what is laid where, and what came too late."""

import numpy as np

from agent.records.channel import Channel


def ones(length: int, level: int = 1) -> np.ndarray:
    return np.full(length, level, np.int16)


def test_what_is_laid_is_taken_at_its_place_with_silence_between() -> None:
    channel = Channel()
    channel.lay(2, ones(3))
    channel.lay(7, ones(2, 5))
    assert channel.take(4).tolist() == [0, 0, 1, 1]
    assert channel.take(10).tolist() == [1, 0, 0, 5, 5, 0]
    assert (channel.laid, channel.lost, channel.held) == (5, 0, 0)


def test_what_lies_over_another_piece_is_lost() -> None:
    channel = Channel()
    channel.lay(0, ones(4))
    channel.lay(2, ones(4, 9))
    assert channel.take(8).tolist() == [1, 1, 1, 1, 9, 9, 0, 0]
    assert (channel.laid, channel.lost) == (6, 2)


def test_what_comes_when_its_place_was_taken_is_lost_and_counted() -> None:
    channel = Channel()
    channel.take(10)
    channel.lay(8, ones(4))
    channel.lay(3, ones(2))
    assert channel.take(14).tolist() == [1, 1, 0, 0]
    assert (channel.laid, channel.lost) == (2, 4)


def test_taking_twice_up_to_one_place_gives_nothing_the_second_time() -> None:
    channel = Channel()
    channel.lay(0, ones(4))
    assert channel.take(4).size == 4
    assert channel.take(4).size == 0
    assert channel.take(2).size == 0
