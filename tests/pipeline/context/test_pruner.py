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
from pipeline.types.chunks import Priority
from pipeline.types.history import History, Item, PrunePlan
from tests.scenario import Told

LIMITS = WindowLimits(groups=2, slack_groups=1)


@dataclass(slots=True)
class Engine:
    """Takes a second to read anything."""

    read: list[list[str]] = field(default_factory=list)
    is_busy: bool = False

    async def prefill(self, history: History, *, priority: Priority) -> None:
        assert priority == Priority.PRUNED
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
    is_busy: bool = False
    read: list[int] = field(default_factory=list)
    first_s: float | None = None  # the first time

    async def prefill(self, history: History, *, priority: Priority) -> None:
        new = len(history.video_turns) - sum(self.read)
        each_s = self.first_s if self.first_s is not None and not self.read else self.seconds_s
        self.read.append(new)
        await asyncio.sleep(each_s * max(1, new))


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


@pytest.mark.parametrize(("is_busy", "left"), [(False, 4), (True, 2)])
async def test_where_the_model_is_busy_half_as_much_video_is_left(is_busy: bool, left: int) -> None:
    conversation = Conversation(History(), Told())
    conversation.see([clip(at) for at in range(6)], is_live=True)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(keep_s=4, slack_s=2), tasks, Eyes(0.1, is_busy))
        pruner.when_due()
        await asyncio.sleep(1)
        pruner.when_due()
    assert [each.clip.id for each in conversation.history.video_turns] == [f"{at}" for at in range(6 - left, 6)]


async def test_what_a_busy_model_does_not_read_in_time_is_given_up_and_the_newest_are_left_at_once() -> None:
    lengths, eyes = await seconds_pass(60, Eyes(60.0, is_busy=True))
    assert lengths[43:57] == [44, *range(45, 55), 5, 6, 7] and len(eyes.read) == 1


async def test_what_a_model_that_keeps_up_does_not_read_in_time_is_waited_for_until_no_prompt_shows_it_all() -> None:
    lengths, _ = await seconds_pass(64, Eyes(60.0))
    assert lengths[43:] == [44, *range(45, 61), 5, 6, 7, 8]


async def test_a_plan_of_which_little_is_left_to_read_is_carried_out_when_there_is_no_more_time() -> None:
    lengths, eyes = await seconds_pass(57, Eyes(1.01, first_s=0.2, is_busy=True))
    assert lengths[44:56] == [*range(45, 55), 25, 26] and sum(eyes.read) > 20


async def test_who_took_long_leaves_less_the_next_time() -> None:
    lengths, eyes = await seconds_pass(90, Eyes(0.15))
    assert eyes.read[0] == 30 and lengths[49] == 50 and lengths[50] == 36, "the first time it took five seconds"
    assert min(lengths[51:]) in (16, 17, 18)


async def test_who_saw_much_at_once_loses_no_more_than_the_rest_of_the_window() -> None:
    conversation = Conversation(History(), Told())
    conversation.see([clip(at) for at in range(44)], is_live=True)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(), tasks, Eyes(0.01))
        conversation.see([clip(at) for at in range(44, 58)], is_live=True)  # an answer was given meanwhile
        pruner.when_due()
        assert len(conversation.history.video_turns) == 58, "it is prefilled first"
        await asyncio.sleep(1)
        pruner.when_due()
        assert len(conversation.history.video_turns) == 30
        conversation.see([clip(at) for at in range(58, 98)], is_live=True)
        pruner.when_due()
        assert len(conversation.history.video_turns) == 30, "no prompt shows more: it is cut once, and not with each"


async def test_a_plan_that_became_void_is_read_no_further() -> None:
    conversation = Conversation(History((user("a"),)), Told())
    conversation.see([clip(at) for at in range(6)], is_live=True)
    eyes = Eyes(0.3)
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(keep_s=4, slack_s=2), tasks, eyes)
        pruner.when_due()
        await asyncio.sleep(1)
        conversation.delete("a")
        conversation.see([clip(at) for at in range(6, 9)], is_live=True)
        await asyncio.sleep(5)
        assert (eyes.read, pruner.planned) == ([4], None)


async def seconds_pass(most: int, eyes: Eyes) -> tuple[list[int], Eyes]:
    """How long the window is after each of so many seconds of video."""
    conversation, lengths = Conversation(History(), Told()), list[int]()
    async with BackgroundTasks() as tasks:
        pruner = ContextPruner("s", conversation, WindowLimits(), tasks, eyes)
        for at in range(most):
            conversation.see([clip(at)], is_live=True)
            pruner.when_due()
            lengths.append(len(conversation.history.video_turns))
            await asyncio.sleep(1)
    return lengths, eyes


def clip(at: int) -> VideoChunk:
    return second(f"{at}", np.zeros((32, 32, 3), np.uint8), None)


def test_an_item_that_was_forgotten_deleted_and_created_again_is_seen() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    assert [item.id for item in remembered(history.without("a").with_item(user("a")))] == ["b", "a"]


def test_the_id_of_an_item_that_was_forgotten_is_still_taken() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    with pytest.raises(RequestError, match="'a' exists already"):
        history.with_item(user("a"))
