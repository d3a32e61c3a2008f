"""What is cut stays out of what a model sees, and nothing else does."""

import asyncio
from dataclasses import dataclass, field

import pytest

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.context.pruner import ContextPruner
from pipeline.context.window import WindowLimits, remembered
from pipeline.errors import RequestError
from pipeline.types.history import History, Item, PrunePlan
from tests.scenario import Told

LIMITS = WindowLimits(groups=2, slack_groups=1)


@dataclass(slots=True)
class Engine:
    """Takes a second to read anything."""

    read: list[list[str]] = field(default_factory=list)

    async def prefill(self, history: History) -> None:
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


def test_an_item_that_was_forgotten_deleted_and_created_again_is_seen() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    assert [item.id for item in remembered(history.without("a").with_item(user("a")))] == ["b", "a"]


def test_the_id_of_an_item_that_was_forgotten_is_still_taken() -> None:
    history = History((user("a"), user("b"))).cut(PrunePlan(items=frozenset("a")))
    with pytest.raises(RequestError, match="'a' exists already"):
        history.with_item(user("a"))
