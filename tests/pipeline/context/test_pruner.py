"""What is cut stays out of what a model sees, and nothing else does."""

import asyncio
from dataclasses import dataclass, field

import numpy as np
import pytest

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.context.pruner import ContextPruner
from pipeline.context.window import WindowLimits, remembered
from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoChunk, second
from pipeline.types.history import History, Item, PrunePlan
from tests.scenario import Told

LIMITS = WindowLimits(groups=2, slack_groups=1)


@dataclass(slots=True)
class Engine:
    """Takes a second to read anything."""

    read: list[list[str]] = field(default_factory=list)
    is_quick: bool = True

    async def prefill(self, history: History, *, pruned: bool) -> None:
        assert pruned
        self.read.append([item.id for item in remembered(history)])
        await asyncio.sleep(1)


def user(name: str, text: str = "?") -> Item:
    return Item(name, "user", text)


async def test_what_a_cut_leaves_is_read_before_the_cut_holds() -> None:
    conversation = Conversation(History((user("a"), user("b"), user("c"))), Told())
    engine = Engine()
    async with BackgroundTasks() as tasks:
        forgetting = ContextPruner("s", conversation, LIMITS, tasks, engine)
        forgetting.when_due()
        await asyncio.sleep(0.5)
        assert (engine.read, forgetting.planned) == ([["b", "c"]], None)
        await asyncio.sleep(1)
        assert forgetting.planned == PrunePlan(items=frozenset("a"))
        forgetting.when_due()
    assert [item.id for item in remembered(conversation.history)] == ["b", "c"]


@pytest.mark.parametrize("deleted_s", [0.5, 1.5])
async def test_an_item_that_was_deleted_and_created_again_is_seen_though_a_cut_was_planned(deleted_s: float) -> None:
    conversation = Conversation(History((user("a"), user("b"), user("c"))), Told())
    async with BackgroundTasks() as tasks:
        forgetting = ContextPruner("s", conversation, LIMITS, tasks, Engine())
        forgetting.when_due()
        await asyncio.sleep(deleted_s)
        conversation.delete("a")
        conversation.create(user("a", "Else?"))
        for _ in range(3):
            await asyncio.sleep(1)
            forgetting.when_due()
    assert [item.id for item in remembered(conversation.history)] == ["c", "a"]


@dataclass(slots=True)
class Eyes:
    """Takes as long to read each second of video.

    Attributes:
        read: How many were new, each time.
    """

    seconds_s: float
    is_quick: bool = True
    read: list[int] = field(default_factory=list)

    async def prefill(self, history: History, *, pruned: bool) -> None:
        new = len(history.video_turns) - sum(self.read)
        self.read.append(new)
        await asyncio.sleep(self.seconds_s * max(1, new))


@pytest.mark.parametrize(("seconds_s", "rounds"), [(0.6, [4, 2]), (1.01, [4, 4, 4, 4])])
async def test_what_is_seen_while_a_cut_is_read_is_read_too_before_the_cut_holds(
    seconds_s: float, rounds: list[int]
) -> None:
    conversation = Conversation(History(), Told())
    conversation.see([clip(at) for at in range(6)], is_live=True)
    eyes = Eyes(seconds_s)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(keep_s=4, slack_s=2), tasks, eyes)
        pruner.when_due()
        for at in range(6, 40):
            await asyncio.sleep(1)
            if pruner.planned:
                break
            conversation.see([clip(at)], is_live=True)
        assert eyes.read == rounds
        pruner.when_due()
    assert len(conversation.history.video_turns) - sum(rounds) <= (1 if seconds_s < 1 else 4)


@pytest.mark.parametrize(("is_quick", "left"), [(True, 4), (False, 2)])
async def test_where_prefilling_is_slow_half_as_much_video_is_left(is_quick: bool, left: int) -> None:
    conversation = Conversation(History(), Told())
    conversation.see([clip(at) for at in range(6)], is_live=True)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(keep_s=4, slack_s=2), tasks, Eyes(0.1, is_quick))
        pruner.when_due()
        await asyncio.sleep(1)
        pruner.when_due()
    assert [each.clip.id for each in conversation.history.video_turns] == [f"{at}" for at in range(6 - left, 6)]


async def test_what_is_not_read_in_time_is_given_up_and_the_newest_are_left_at_once() -> None:
    limits = WindowLimits(keep_s=6, slack_s=3)
    conversation = Conversation(History(), Told())
    eyes = Eyes(60.0)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, limits, tasks, eyes)
        lengths = []
        for at in range(24):
            conversation.see([clip(at)], is_live=True)
            pruner.when_due()
            lengths.append(len(conversation.history.video_turns))
            await asyncio.sleep(1)
        assert len(eyes.read) == 2, "it is begun anew, and not twice at once"
    assert lengths[8:12] == [9, 10, 1, 2] and max(lengths) <= limits.most_s


def clip(at: int) -> VideoChunk:
    return second(f"{at}", np.zeros((32, 32, 3), np.uint8), None)


def test_an_item_that_was_forgotten_deleted_and_created_again_is_seen() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    assert [item.id for item in remembered(history.without("a").with_item(user("a")))] == ["b", "a"]


def test_the_id_of_an_item_that_was_forgotten_is_still_taken() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    with pytest.raises(RequestError, match="'a' exists already"):
        history.with_item(user("a"))
