"""Which cells were there, and have gone away of late."""

from agent.cells.away_cells import RECENT_S, AwayCells

ONE, TWO = "http://one:1", "http://two:1"


def test_a_cell_that_was_never_there_is_not_away() -> None:
    away = AwayCells()
    away.feed(set(), 0)
    assert not away
    away.feed({ONE}, 1)
    assert not away


def test_one_that_is_not_ready_any_more_is_away_until_it_is_back() -> None:
    away = AwayCells()
    away.feed({ONE, TWO}, 0)
    away.feed({TWO}, 1)
    assert away
    away.feed({ONE, TWO}, 2)
    assert not away


def test_after_a_while_nobody_waits_for_it() -> None:
    away = AwayCells()
    away.feed({ONE}, 0)
    away.feed(set(), 1)
    away.feed(set(), RECENT_S + 0.9)
    assert away
    away.feed(set(), RECENT_S + 1)
    assert not away
    away.feed(set(), RECENT_S + 2)
    assert not away, "once is enough"
