"""Somebody in a room asks for the time, and is told it."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import joined
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio
LATE = timedelta(minutes=2)


def told(text: str, now: datetime) -> list[datetime]:
    """The times of day in a text, of a clock of twelve hours or of twenty-four, nearest to now."""
    times = [
        now.replace(hour=(int(hour) + later) % 24, minute=int(minute), second=0, microsecond=0)
        for hour, minute in re.findall(r"\b(\d{1,2}):([0-5]\d)\b", text)
        for later in (0, 12)
        if int(hour) < 24
    ]
    return sorted(times, key=lambda at: abs(at - now))


async def test_who_asks_what_time_it_is_is_told_the_time(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    async with joined("Tim", await stack.grant(a_room(), "tim")) as tim:
        await tim.greeted()
        await tim.ask(voice.say("What time is it?"))
        answer, now = await tim.captioned("agent"), datetime.now().astimezone()  # noqa: TID251 - as a person's watch
        nearest = told(answer, now)
        assert nearest and abs(nearest[0] - now) < LATE, answer
    await stack.empty()
