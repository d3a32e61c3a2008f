"""The webhook over a real network connection: a server that fails twice, one that is away, one that sends elsewhere."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agent.records.record_keeper import RecordKeeper
from agent.records.webhook import NoticeRefused, post
from agent.settings.records import RecordSettings
from tests.agent.records.test_webhook import SECRET, Receiver, check_signature, notice

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_server_that_fails_twice_is_told_in_the_end(tmp_path: Path) -> None:
    receiver, app = Receiver(500, 302), web.Application()
    app.add_routes([web.post("/calls", receiver.answer)])
    kept = notice(tmp_path)
    async with TestServer(app) as server:
        settings = RecordSettings(tmp_path, webhook=str(server.make_url("/calls")), secret=SECRET)
        keeper = RecordKeeper(settings, again_s=(0.05, 0.05), poll_s=0.01)
        async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(keeper.run())
            await receiver.taken.wait()
            running.cancel()
    assert [body for _, _, body in receiver.came] == [kept.body] * 3
    for _, headers, body in receiver.came:
        check_signature(headers, body)


async def test_a_server_that_is_away_has_not_taken_it() -> None:
    with pytest.raises(NoticeRefused, match="ClientConnector"):
        await post("http://127.0.0.1:1/", {}, b"{}")
