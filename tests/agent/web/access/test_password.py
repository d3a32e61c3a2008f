"""Who may ask for calls: whoever knows the password."""

import asyncio
from collections import Counter
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest

from agent.settings.access import PasswordAccess
from agent.settings.agent import WebSettings
from agent.settings.outside import OutsideSettings
from agent.web.access.guard import MOST
from agent.web.access.password import TRIES
from agent.web.outside.serving import for_others, for_this_machine
from tests.agent.web.page_server import LIVEKIT, Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

RIGHT = "correct horse battery"
ASKED = PasswordAccess(RIGHT)


async def enter(client: Client, password: str) -> int:
    return (await client.post("/api/access/password", json={"password": password})).status


async def code(client: Client, path: str = "/api/token", method: str = "POST") -> tuple[int, str]:
    answer = await client.request(method, path)
    body = await answer.json()
    return answer.status, body.get("error", {}).get("code", "")


async def test_nobody_is_asked_where_no_check_is_set(client: Client) -> None:
    assert (await client.post("/api/token")).status == 201
    assert (await client.post("/api/access/password", json={"password": "x"})).status == 404


async def test_without_the_password_there_is_no_token_and_no_voice(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED, pipeline_key="k") as client:
        assert await code(client) == (401, "password")
        assert await code(client, "/api/sample", "GET") == (401, "password")
        assert (await client.get("/api/about")).status == 200


async def test_who_knows_it_calls_from_this_browser_from_then_on(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        answer = await client.post("/api/access/password", json={"password": RIGHT})
        assert answer.status == 204
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/api/" in cookie
        assert RIGHT not in cookie
        assert (await client.post("/api/token")).status == 201


async def test_a_wrong_password_opens_nothing_and_too_many_are_not_even_compared(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        assert [await enter(client, f"{RIGHT}{n}") for n in range(TRIES)] == [403] * TRIES
        late = await client.post("/api/access/password", json={"password": RIGHT})
        assert late.status == 429 and int(late.headers["Retry-After"]) > 500
        assert (await late.json())["error"]["code"] == "too_many_tries"
        assert await code(client) == (401, "password")


async def test_no_more_are_compared_where_all_are_sent_at_once(state: PipelineState) -> None:
    body = b'{"password": "wrong, of course"}'
    request = f"POST /api/access/password HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    async with page_server(state, None, access=ASKED) as client:
        tries = [await asyncio.open_connection(client.server.host, client.server.port) for _ in range(2 * TRIES)]
        for _, writer in tries:
            writer.write(request)
        await asyncio.sleep(0.1)  # all are under way
        for _, writer in tries:
            writer.write(body)
        codes = [(await reader.readline()).split()[1] for reader, _ in tries]
        for _, writer in tries:
            writer.close()
    assert Counter(codes) == {b"403": TRIES, b"429": TRIES}


async def test_another_password_closes_what_the_old_one_has_opened(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        opened = (await client.post("/api/access/password", json={"password": RIGHT})).cookies["aura_session"].value
    async with page_server(state, None, access=PasswordAccess(f"{RIGHT}!")) as client:
        answer = await client.post("/api/token", headers={"Cookie": f"aura_session={opened}"})
        assert answer.status == 401


@pytest.mark.parametrize("body", ["{", "[]", '{"password": 7}', '{"password": "x", "more": 1}', "[" * 1000])
async def test_what_makes_no_sense_is_refused_by_name(state: PipelineState, body: str) -> None:
    async with page_server(state, None, access=ASKED) as client:
        answer = await client.post("/api/access/password", data=body)
        assert (answer.status, (await answer.json())["error"]["code"]) == (400, "invalid_request")


async def test_an_address_may_ask_only_so_often(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        for _ in range(MOST):
            assert await code(client) == (401, "password")
        assert await code(client) == (429, "too_many")


async def test_a_page_of_others_cannot_try_passwords(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        headers = {"Origin": "https://evil.example"}
        answer = await client.post("/api/access/password", json={"password": RIGHT}, headers=headers)
        assert (answer.status, (await answer.json())["error"]["code"]) == (403, "wrong_origin")


def test_other_devices_are_asked_and_whoever_sits_here_is_not() -> None:
    outside = OutsideSettings("aura.lan", "192.0.2.7", 443, Path("cert"), Path("key"))
    settings = WebSettings("http://127.0.0.1:1", LIVEKIT, access=ASKED, outside=outside)
    assert for_this_machine(settings).access is None
    assert for_others(settings, outside).access == ASKED
    assert for_others(settings, outside).livekit_url_for_browsers == "wss://aura.lan"
    assert for_this_machine(settings).livekit_url_for_browsers == LIVEKIT.url
    assert for_this_machine(replace(settings, outside=None)).access == ASKED  # a proxy of the operator's is in front


async def enter_by(client: Client, *forwarded: str) -> int:
    """A wrong try that came by proxies; each has added the address that it was asked by."""
    headers = [("X-Forwarded-For", each) for each in forwarded]
    return (await client.post("/api/access/password", json={"password": "wrong"}, headers=headers)).status


async def test_behind_a_proxy_of_ours_tries_are_counted_by_caller_whatever_they_say_of_themselves(
    state: PipelineState,
) -> None:
    proxies = (ip_network("127.0.0.0/8"), ip_network("10.0.0.0/8"))
    async with page_server(state, None, access=ASKED, proxies=proxies) as client:
        for n in range(TRIES):
            assert await enter_by(client, f"192.0.2.{n}, 198.51.100.7", "10.1.2.3") == 403, (
                "they write another each time"
            )
        assert await enter_by(client, "198.51.100.7, 10.1.2.3") == 429
        assert await enter_by(client, "198.51.100.8, 10.1.2.3") == 403
        assert await enter_by(client) == 403, "the proxy itself"


async def test_what_nobody_trusts_is_told_in_vain(state: PipelineState) -> None:
    async with page_server(state, None, access=ASKED) as client:
        assert [await enter_by(client, f"192.0.2.{n}") for n in range(TRIES)] == [403] * TRIES
        assert await enter_by(client, "192.0.2.99") == 429
