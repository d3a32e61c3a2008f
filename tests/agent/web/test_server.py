"""Tokens, and why there is none; the page's headers."""

import asyncio
import json
from base64 import urlsafe_b64decode
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from livekit import api
from livekit.api.access_token import Claims

from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web import token_endpoint
from agent.web.join_token import TokenRequest, join_token
from agent.web.server import application
from tests.agent.web.page_server import LIVEKIT, PATIENCE_S, SECRET, UNREACHABLE, Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

TEN_MINUTES_S = 600


def claims(body: dict[str, Any]) -> Claims:
    return api.TokenVerifier("key", SECRET).verify(body["participant_token"])


async def test_a_caller_gets_a_room_of_their_own_and_the_agent_in_it(client: Client) -> None:
    made = []
    for _ in range(2):
        response = await client.post("/api/token")
        assert response.status == 201
        body = await response.json()
        assert body["server_url"] == "ws://127.0.0.1:7880"
        made.append(claims(body))
    first, second = made
    assert first.video and second.video and first.video.room != second.video.room
    assert first.identity != second.identity
    assert [agent.agent_name for agent in first.room_config.agents] == ["aura"] if first.room_config else False


async def test_what_a_client_asks_for_it_gets(client: Client) -> None:
    asked = {
        "room_name": "kitchen",
        "participant_identity": "ann",
        "participant_name": "Ann",
        "participant_attributes": {"theme": "dark"},
        "room_config": {"agents": [{"agent_name": "somebody-else"}]},
        "something_new": [1],
    }
    made = claims(await (await client.post("/api/token", json=asked)).json())
    assert made.video is not None
    assert (made.video.room, made.identity, made.name) == ("kitchen", "ann", "Ann")
    assert made.attributes == {"theme": "dark"}
    assert made.room_config and [agent.agent_name for agent in made.room_config.agents] == ["aura"]


def test_an_agent_without_a_name_is_not_called_and_comes_by_itself() -> None:
    token = join_token(replace(LIVEKIT, agent_name=""), TokenRequest("kitchen"))
    made = api.TokenVerifier("key", SECRET).verify(token)
    assert made.video and made.video.room == "kitchen"
    assert made.room_config is None


def test_a_token_lives_for_as_long_as_it_takes_to_join() -> None:
    payload = join_token(LIVEKIT, TokenRequest()).split(".")[1]
    told = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert told["exp"] - told["nbf"] == TEN_MINUTES_S


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"room_name": 7}', "$.room_name"),
        ('{"participant_attributes": {"a": 1}}', "$.participant_attributes"),
        ("[]", "object"),
        ("{", "truncated"),
        ("\ud800".encode("utf-16", "surrogatepass"), ""),
        ("[" * 60_000, ""),
    ],
)
async def test_a_wrong_request_is_refused_with_the_field(client: Client, body: str | bytes, named: str) -> None:
    response = await client.post("/api/token", data=body)
    assert response.status == 400
    error = (await response.json())["error"]
    assert error["code"] == "invalid_request"
    assert named in error["message"]


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, '{"ready": true, "free_sessions": 0}', "full"),
        (503, '{"ready": false, "free_sessions": 0}', "starting"),
        (200, "<html>", "unreachable"),
        (200, '{"ready": true}', "unreachable"),
    ],
)
async def test_without_a_place_there_is_no_token(
    client: Client, state: PipelineState, status: int, body: str, code: str
) -> None:
    state.status, state.body = status, body
    response = await client.post("/api/token", json={})
    error = (await response.json())["error"]
    assert (response.status, error["code"]) == (503, code)
    assert response.headers["Retry-After"] == str(error["retry_after_s"])
    assert error["message"]


async def test_who_has_an_agent_in_their_room_comes_back_to_it_where_nobody_new_is_taken(
    client: Client, state: PipelineState, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def holds_place(livekit: LiveKitSettings, room: str) -> bool:
        return room == "ours"

    monkeypatch.setattr(token_endpoint, "holds_place", holds_place)
    state.status, state.body = 503, '{"ready": false, "free_sessions": 0}'
    got = [(await client.post("/api/token", json={"room_name": room})).status for room in ("ours", "theirs")]
    assert got == [201, 503]


async def test_a_place_that_is_given_back_in_a_moment_is_waited_for(client: Client, state: PipelineState) -> None:
    state.body = '{"ready": true, "free_sessions": 0}'
    async with asyncio.timeout(PATIENCE_S * 2), asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(_status(client))
        await asyncio.sleep(PATIENCE_S / 4)
        state.body = '{"ready": true, "free_sessions": 1}'
    assert asking.result() == 201


async def test_a_place_in_another_cell_is_one(state: PipelineState) -> None:
    other = PipelineState()
    app = web.Application()
    app.add_routes([web.get("/ready", other.answer)])
    state.body = '{"ready": true, "free_sessions": 0}'
    async with TestServer(app) as cell:
        url = str(cell.make_url("")).rstrip("/")
        async with page_server(state, None, cells=(url,)) as client:
            assert await _status(client) == 201
            other.body = state.body
            assert await _status(client) == 503


async def _status(client: Client) -> int:
    return (await client.post("/api/token")).status


async def test_a_page_that_was_opened_elsewhere_gets_no_token(client: Client) -> None:
    ours = f"http://{client.host}:{client.port}"
    rebound = await client.post("/api/token", headers={"Host": "evil.example:80", "Origin": "http://evil.example:80"})
    assert (rebound.status, (await rebound.json())["error"]["code"]) == (421, "wrong_host")
    assert "`evil.example`" in (await rebound.json())["error"]["message"]
    crossed = await client.post("/api/token", headers={"Origin": "http://evil.example"})
    assert (crossed.status, (await crossed.json())["error"]["code"]) == (403, "wrong_origin")
    assert (await client.post("/api/token", headers={"Origin": ours})).status == 201


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
async def test_a_token_is_only_posted_for(client: Client, method: str) -> None:
    response = await client.request(method, "/api/token")
    assert (response.status, response.headers["Allow"]) == (405, "POST")


async def test_a_pipeline_that_is_away_is_said_to_be() -> None:
    async with TestClient(TestServer(application(WebSettings(UNREACHABLE, LIVEKIT), None))) as client:
        response = await client.post("/api/token")
        assert (response.status, (await response.json())["error"]["code"]) == (503, "unreachable")


async def test_the_page_may_talk_to_livekit_and_to_nobody_else(client: Client) -> None:
    for method, path, status in (("GET", "/", 200), ("GET", "/nothing", 404), ("PUT", "/health", 405)):
        response = await client.request(method, path)
        assert response.status == status
        policy = response.headers["Content-Security-Policy"]
        assert "connect-src 'self' ws://127.0.0.1:7880 http://127.0.0.1:7880;" in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
