"""Somebody types to the agent."""

from collections.abc import Callable

import pytest

from infra.bench.person.person import ANSWER_S, joined
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio


async def test_what_is_typed_is_answered_aloud_or_visibly_not_at_all(
    stack: Stack, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    async with joined("Hal", await stack.grant(a_room(), "hal")) as hal:
        await hal.greeted()
        greeted = hal.heard.stretches[-1].ended
        await hal.type("Okay, thank you, that is all.")
        await hal.diary.until(lambda: "silent" in hal.told("aura.state"), ANSWER_S, "silence that is shown")
        assert any('"silent"' in decision for decision in hal.told("aura.decision"))
        assert hal.heard.stretches[-1].ended == greeted

        await hal.type("What is the capital of Japan?")
        await hal.answered(greeted)
        assert "Tokyo" in ears.understand(hal.heard.since(greeted))
