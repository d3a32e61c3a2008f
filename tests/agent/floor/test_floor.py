"""When the agent may speak of its own accord, as it follows from what happens."""

import math
import random
from dataclasses import replace

import pytest

from agent.floor.floor import (
    AcceptOffer,
    DropOffer,
    Floor,
    FloorAction,
    FloorDisturbed,
    FloorEvent,
    FloorRules,
    FloorSeen,
    OfferCame,
    RemarkHeard,
    RemarkOffer,
    RemarkOver,
    RemarksWanted,
    SpokeUp,
    StopRemark,
    TimePassed,
    normalised,
)

NOBODY, SOMEBODY, AGENT = FloorSeen(False, False), FloorSeen(True, False), FloorSeen(False, True)
WAVED = "Somebody waved."


def offered(at: float, text: str = WAVED, *, name: str = "o1", stands_s: float = 5.0) -> tuple[float, OfferCame]:
    return at, OfferCame(RemarkOffer(name, text, at, stands_s))


def follow(
    *happenings: tuple[float, FloorEvent], until: float = 100.0, rules: FloorRules | None = None
) -> list[tuple[float, FloorAction]]:
    """What is done when, on a floor on which time passes as its owner lets it."""
    floor, now, done = Floor(rules or FloorRules()), 0.0, list[tuple[float, FloorAction]]()

    def pass_until(moment: float) -> None:
        nonlocal floor, now
        while (due := floor.due) is not None and due <= moment:
            now = max(now, due)
            floor, actions = floor.feed(TimePassed(), now)
            done.extend((round(now, 3), action) for action in actions)
            assert floor.due is None or floor.due > now, "it would never rest"

    for at, event in happenings:
        pass_until(at)
        now = at
        floor, actions = floor.feed(event, now)
        done.extend((round(now, 3), action) for action in actions)
    pass_until(until)
    return done


def drops(done: list[tuple[float, FloorAction]]) -> list[tuple[float, str]]:
    return [(at, action.reason) for at, action in done if isinstance(action, DropOffer)]


def accepted(done: list[tuple[float, FloorAction]]) -> list[float]:
    return [at for at, action in done if isinstance(action, AcceptOffer)]


def said(at: float, name: str = "o1", *, for_s: float = 2.0) -> list[tuple[float, FloorEvent]]:
    return [(at, RemarkHeard(name)), (at + for_s, RemarkOver(name))]


def test_an_offer_on_a_free_floor_is_said_at_once() -> None:
    done = follow(offered(10.0), *said(10.3))
    offer = RemarkOffer("o1", WAVED, 10.0, 5.0)
    assert done == [(10.0, AcceptOffer(offer)), (10.3, SpokeUp(offer))]


def test_it_waits_until_the_floor_has_been_free_for_seven_tenths_of_a_second() -> None:
    spoke = ((8.0, SOMEBODY), (9.5, NOBODY))
    assert accepted(follow(*spoke, offered(9.6), *said(10.5))) == [10.2]
    answered = ((8.0, AGENT), (9.5, NOBODY))
    assert accepted(follow(*answered, offered(9.6), *said(10.5))) == [10.2]


def test_it_waits_for_the_last_words_of_an_answer_if_it_is_fresh_then() -> None:
    assert accepted(follow((8.0, AGENT), offered(10.0), (10.7, NOBODY), *said(11.45))) == [11.4]
    assert drops(follow((8.0, AGENT), offered(10.0), (10.9, NOBODY))) == [(10.8, "floor_taken")]


def test_an_offer_is_dropped_while_somebody_speaks() -> None:
    done = follow((9.0, SOMEBODY), offered(10.0), (11.0, NOBODY))
    assert (accepted(done), drops(done)) == ([], [(10.0, "floor_taken")])


def test_an_offer_that_waits_is_dropped_when_somebody_begins_to_speak() -> None:
    done = follow((8.0, AGENT), (9.8, NOBODY), offered(10.0), (10.2, SOMEBODY), (10.4, NOBODY))
    assert (accepted(done), drops(done)) == ([], [(10.2, "floor_taken")])


def test_a_remark_that_is_not_heard_yet_is_stopped_when_somebody_begins_to_speak() -> None:
    offer = RemarkOffer("o1", WAVED, 10.0, 5.0)
    done = follow(offered(10.0), (10.2, SOMEBODY), (10.3, RemarkHeard("o1")), (10.4, RemarkOver("o1")))
    assert done == [(10.0, AcceptOffer(offer)), (10.2, StopRemark(False)), (10.2, DropOffer(offer, "floor_taken"))]


def test_who_speaks_over_a_remark_that_is_heard_interrupts_it_as_any_answer() -> None:
    done = follow(offered(10.0), (10.3, RemarkHeard("o1")), (11.0, SOMEBODY), (11.4, RemarkOver("o1")))
    assert not [action for _, action in done if isinstance(action, StopRemark)]
    assert drops(done) == []


def test_a_remark_that_does_not_begin_within_a_second_and_a_half_of_its_offer_is_stale() -> None:
    done = follow((8.0, AGENT), (9.9, NOBODY), offered(10.0))
    assert accepted(done) == [10.6]
    assert done[1][1] == StopRemark(False)
    assert drops(done) == [(11.5, "offer_stale")]


def test_time_that_passed_unnoticed_makes_an_offer_stale() -> None:
    floor, _ = replace(Floor(FloorRules()), free_since=9.5).feed(offered(10.0)[1], 10.0)
    _, actions = floor.feed(TimePassed(), 11.6)
    assert [action.reason for action in actions if isinstance(action, DropOffer)] == ["offer_stale"]


def test_an_offer_is_not_said_when_the_pipeline_does_not_keep_it_any_more() -> None:
    done = follow((8.0, AGENT), (9.9, NOBODY), offered(10.0, stands_s=0.5))
    assert (accepted(done), drops(done)) == ([], [(10.0, "floor_taken")])


def test_the_same_is_not_remarked_twice_however_it_is_written() -> None:
    again = offered(50.0, "somebody   WAVED", name="o2")
    done = follow(offered(10.0), *said(10.3), again, offered(60.0, "Somebody left.", name="o3"))
    assert accepted(done) == [10.0, 60.0]
    assert (50.0, "repeated") in drops(done)


def test_what_was_not_heard_may_be_remarked_again() -> None:
    done = follow(offered(10.0), (10.2, SOMEBODY), (11.0, NOBODY), offered(15.0, name="o2"))
    assert accepted(done) == [10.0, 15.0]


def test_no_more_than_so_many_remarks_are_made_in_any_minute() -> None:
    happenings = list[tuple[float, FloorEvent]]()
    for number in range(5):
        at, name = 10.0 * number, f"o{number}"
        happenings += [offered(at, f"Number {number}.", name=name), *said(at, name)]
    happenings += [offered(60.0, "Number six.", name="o6"), *said(60.0, "o6")]
    done = follow(*happenings)
    assert accepted(done) == [0.0, 10.0, 20.0, 30.0, 60.0]
    assert drops(done) == [(40.0, "too_many")]


def test_whoever_allows_no_remarks_hears_none() -> None:
    assert drops(follow(offered(10.0), rules=FloorRules(per_minute=0))) == [(10.0, "not_wanted")]


def test_another_offer_takes_the_place_of_one_that_waits() -> None:
    done = follow((8.0, AGENT), (9.9, NOBODY), offered(10.0), offered(10.2, "The cup fell.", name="o2"))
    assert drops(done)[0] == (10.2, "offer_stale")
    assert [action.offer.offer_id for _, action in done if isinstance(action, AcceptOffer)] == ["o2"]


def test_a_remark_is_not_followed_by_another_at_once() -> None:
    second = offered(11.0, "The cup fell.", name="o2")
    done = follow(offered(10.0), *said(10.1), second, offered(12.2, "The cup broke.", name="o3"), until=12.8)
    assert drops(done) == [(11.0, "floor_taken")]
    assert accepted(done) == [10.0, 12.8]


def test_who_does_not_want_remarks_hears_none_from_that_moment() -> None:
    done = follow(offered(10.0), (10.1, RemarksWanted(False)), offered(20.0, name="o2"))
    assert [action for _, action in done if isinstance(action, StopRemark)] == [StopRemark(False)]
    assert drops(done) == [(10.1, "not_wanted"), (20.0, "not_wanted")]
    assert accepted(follow((5.0, RemarksWanted(False)), (6.0, RemarksWanted(True)), offered(10.0))) == [10.0]


def test_a_remark_is_broken_off_by_who_wants_none() -> None:
    done = follow(offered(10.0), (10.1, RemarkHeard("o1")), (10.9, RemarksWanted(False)), (11.0, RemarkOver("o1")))
    assert done[-1] == (10.9, StopRemark(True))
    assert drops(done) == []


def test_what_is_written_drops_what_was_not_heard_yet() -> None:
    waits = follow((8.0, AGENT), (9.9, NOBODY), offered(10.0), (10.1, FloorDisturbed()))
    begins = follow(offered(10.0), (10.1, FloorDisturbed()))
    assert drops(waits) == drops(begins) == [(10.1, "floor_taken")]
    assert accepted(follow((9.8, FloorDisturbed()), offered(10.0), *said(10.6))) == [10.5]


@pytest.mark.parametrize("reason", ["offer_stale", "failed"])
def test_a_remark_that_came_to_nothing_says_why_and_frees_the_floor(reason: str) -> None:
    over = RemarkOver("o1", reason)  # type: ignore[arg-type]
    done = follow(offered(10.0), (10.2, over), offered(11.0, name="o2"))
    assert drops(done)[0] == (10.2, reason)
    assert accepted(done) == [10.0, 11.0]


def test_the_end_of_another_remark_means_nothing() -> None:
    done = follow(offered(10.0), (10.1, RemarkOver("o0")), (10.2, RemarkHeard("o0")), *said(10.3))
    assert [type(action) for _, action in done] == [AcceptOffer, SpokeUp]


def test_what_has_no_words_is_not_said() -> None:
    assert drops(follow(offered(10.0, "…"))) == [(10.0, "failed")]


def test_words_are_compared_without_marks_and_case() -> None:
    assert normalised("  It’s ＲＡＩＮＩＮＧ — again! ") == "it s raining again"
    assert normalised("有人在挥手。") == "有人在挥手"


def test_whatever_happens_nothing_begins_on_a_floor_that_is_taken_or_late_or_too_often() -> None:
    dice = random.Random(7)
    begun = 0
    for _ in range(300):
        happenings, at = list[tuple[float, FloorEvent]](), 0.0
        for number in range(40):
            at = round(at + 0.01 + dice.choice((0.0, 0.1, 0.7, 1.5, 5.0)) * dice.random(), 2)
            heard = f"o{dice.randrange(number + 1)}"
            event = dice.choice((NOBODY, NOBODY, SOMEBODY, AGENT, RemarkHeard(heard), RemarkOver(heard), None, None))
            text = f"Remark {dice.randrange(8)}."
            happenings.append((at, event) if event else offered(at, text, name=f"o{number}"))
        done = follow(*happenings, until=at + 10)
        check(done, [(at, event) for at, event in happenings if isinstance(event, FloorSeen)])
        begun += len(accepted(done))
    assert begun > 300


def check(done: list[tuple[float, FloorAction]], seen: list[tuple[float, FloorSeen]]) -> None:
    for at, action in done:
        if isinstance(action, AcceptOffer):
            assert at < action.offer.came_at + 1.5
            assert at >= free_since(seen, at) + 0.69
    spoken = [action.offer.text for _, action in done if isinstance(action, SpokeUp)]
    assert len(spoken) == len(set(spoken))
    moments = [at for at, action in done if isinstance(action, SpokeUp)]
    assert all(sum(moment <= other < moment + 60 for other in moments) <= 4 for moment in moments)
    ends = [action.offer.offer_id for _, action in done if isinstance(action, SpokeUp | DropOffer)]
    assert len(ends) == len(set(ends)), "each is told once"


def free_since(seen: list[tuple[float, FloorSeen]], now: float) -> float:
    """Since when the floor is free; infinite if it is not."""
    since = -math.inf
    for at, event in seen:
        if at <= now:
            since = math.inf if event != NOBODY else at if since == math.inf else since
    return since
