"""What the pipeline says of a pause, and when that is known."""

import asyncio

import pytest

from agent.turns.sound_vote import SoundVote
from agent.turns.turn_events import Onset, PartialHeard, Pause

pytestmark = pytest.mark.anyio
BEGINS = Onset(audible=False, answering=False)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_pipeline_that_has_never_voted_is_not_waited_for() -> None:
    vote = SoundVote()
    vote.feed(BEGINS)
    vote.feed(Pause())
    began = now()
    assert await vote.known(began + 0.5) is None
    assert now() == began


async def test_even_the_first_vote_counts_if_it_is_there() -> None:
    vote = SoundVote()
    vote.feed(Pause())
    vote.told(0.7)
    assert await vote.known(now() + 0.5) == 0.7


async def test_one_that_votes_is_waited_for_until_it_has_and_no_longer_than_it_may() -> None:
    vote = SoundVote()
    vote.feed(Pause())
    vote.told(0.7)
    for event in (BEGINS, PartialHeard("item_1", "Yes", "speech", 500, settled=False), Pause()):
        vote.feed(event)
    began = now()
    asyncio.get_running_loop().call_later(0.1, vote.told, 0.2)
    assert await vote.known(began + 0.5) == 0.2
    assert now() == pytest.approx(began + 0.1)
    vote.feed(BEGINS)
    vote.feed(Pause())
    assert await vote.known(now() + 0.5) is None
    assert now() == pytest.approx(began + 0.6)


async def test_what_comes_when_the_person_speaks_again_says_nothing_of_the_next_pause() -> None:
    vote = SoundVote()
    vote.feed(Pause())
    vote.feed(BEGINS)
    vote.told(0.9)
    vote.feed(Pause())
    assert await vote.known(now() + 0.5) is None
