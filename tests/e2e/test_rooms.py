"""Several rooms at once: each hears only itself, and one too many is turned away until a place is free."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.base.speech import PersonVoice
from infra.bench.person.grant import Grant
from infra.bench.person.person import READY_S, Person, joined
from tests.e2e.chromium import Page, chromium, element
from tests.e2e.recogniser import Recogniser
from tests.e2e.screens import take_pictures
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio


async def test_two_rooms_do_not_hear_each_other_and_a_third_waits_for_a_place(
    stack: Stack, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str], tmp_path: Path, out: Path
) -> None:
    await stack.empty()

    async def converse(person: Person, country: str, capital: str, other: str) -> None:
        await person.greeted()
        answer = await person.ask(voice.say(f"What is the capital of {country}?"))
        assert capital in ears.understand(answer)
        everything = " ".join(person.said("user") + person.said("agent"))
        assert country in everything and capital in everything
        assert other not in everything

    async with chromium(tmp_path, still=True) as page, joined("Fay", await stack.grant(a_room(), "fay")) as fay:
        async with joined("Eve", await stack.grant(a_room(), "eve")) as eve:
            async with asyncio.TaskGroup() as both:
                both.create_task(converse(eve, "France", "Paris", "Rome"))
                both.create_task(converse(fay, "Italy", "Rome", "Paris"))
            await turned_away(stack, a_room(), page, out)
        await page.until(element("state"), READY_S, "a place for the page, now that Eve has left")


async def turned_away(stack: Stack, room: str, page: Page, out: Path) -> None:
    status, answer, headers = await stack.ask_for_grant(room, "gus")
    assert (status, answer["error"]["code"]) == (503, "full")
    assert int(headers["Retry-After"]) > 0
    await page.open(f"{stack.running.url}?autostart=1&camera=0")
    await page.until(element("busy"), READY_S, "the page says that all lines are busy")
    await take_pictures(page, out, "busy")

    async with joined("Gus", with_a_token_of_his_own(stack, room)) as gus:
        await gus.diary.until(lambda: "places are taken" in "".join(gus.told("aura.error")), READY_S, "an apology")


def with_a_token_of_his_own(stack: Stack, room: str) -> Grant:
    """For somebody whose token was made while there was a place."""
    keys, url = stack.keys, stack.running.livekit_url
    livekit = LiveKitSettings(url, keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"], keys["AURA_AGENT_NAME"])
    return Grant(url, join_token(livekit, TokenRequest(room, participant_identity="gus")))
