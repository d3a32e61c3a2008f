"""What is kept of a lost connection: for a minute, once, and never too many."""

import asyncio

from pipeline.realtime.resume import KEPT_S, MOST_KEPT, KeptSessions
from pipeline.realtime.session_config import SessionConfig
from pipeline.types.capabilities import Capabilities
from pipeline.types.history import History, Item

CONFIG = SessionConfig.at_first(Capabilities("aura"))
SAID = History((Item("hello", "user", "Hello?"),))


async def test_it_is_kept_for_a_minute() -> None:
    kept = KeptSessions()
    kept.keep("one", "sess_1", SAID, CONFIG)
    kept.keep("two", "sess_2", SAID, CONFIG)
    await asyncio.sleep(KEPT_S - 1)
    left = kept.take("one")
    assert left and (left.name, left.history) == ("sess_1", SAID)
    await asyncio.sleep(2)
    assert kept.take("two") is None


async def test_it_is_taken_once_unless_it_is_put_back() -> None:
    kept = KeptSessions()
    kept.keep("one", "sess_1", SAID, CONFIG)
    left = kept.take("one")
    assert left and kept.take("one") is None
    kept.put_back("one", left)
    assert kept.take("one") == left


async def test_the_oldest_make_room() -> None:
    kept = KeptSessions()
    for number in range(MOST_KEPT + 1):
        kept.keep(f"token {number}", f"sess_{number}", SAID, CONFIG)
    assert kept.take("token 0") is None
    assert kept.take("token 1")
