"""How often one caller may call."""

from agent.phone.caller_limits import CallerLimits


def test_a_caller_has_so_many_calls_at_a_time() -> None:
    callers = CallerLimits(at_once=2, per_minute=10)
    assert callers.admit("ann", "one", 0.0, rooms=())
    assert callers.admit("ann", "two", 1.0, rooms={"one"})
    assert not callers.admit("ann", "three", 2.0, rooms={"one", "two"})
    assert callers.admit("ben", "four", 2.0, rooms={"one", "two"})


def test_a_call_that_has_ended_makes_room_for_another() -> None:
    callers = CallerLimits(at_once=1, per_minute=10)
    assert callers.admit("ann", "one", 0.0, rooms={"one"})
    assert not callers.admit("ann", "two", 1.9, rooms={"one", "two"})
    assert callers.admit("ann", "three", 2.0, rooms={"three"})


def test_a_room_that_everybody_has_left_is_no_call_any_more_and_one_that_was_just_made_is() -> None:
    callers = CallerLimits(at_once=1, per_minute=10)
    assert callers.admit("ann", "one", 0.0, rooms={"one"})
    assert not callers.admit("ann", "two", 1.0, rooms={"one", "two"}, empty={"one", "two"})
    assert callers.admit("ann", "three", 7.0, rooms={"one", "three"}, empty={"one", "three"})


def test_a_long_call_counts_for_as_long_as_it_lasts() -> None:
    callers = CallerLimits(at_once=1, per_minute=10)
    assert callers.admit("ann", "one", 0.0, rooms=())
    assert not callers.admit("ann", "two", 500.0, rooms={"one"})


def test_a_caller_begins_so_many_calls_in_a_minute() -> None:
    callers = CallerLimits(at_once=10, per_minute=3)
    assert [callers.admit("ann", f"room {at}", at, rooms=()) for at in (0.0, 20.0, 40.0)] == [True] * 3
    assert not callers.admit("ann", "one more", 59.0, rooms=())
    assert callers.admit("ann", "later", 60.0, rooms=())


def test_what_was_refused_does_not_count() -> None:
    callers = CallerLimits(at_once=1, per_minute=2)
    assert callers.admit("ann", "one", 0.0, rooms=())
    assert not any(callers.admit("ann", f"flood {n}", 1.0, rooms={"one"}) for n in range(100))
    assert callers.admit("ann", "two", 20.0, rooms=())
