"""Whom an issuer of OpenID Connect vouches for may call."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives.asymmetric import rsa

from agent.settings.access import OidcAccess
from tests.agent.web.page_server import Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

KEY = rsa.generate_private_key(65_537, 2_048)
FOREIGN_KEY = rsa.generate_private_key(65_537, 2_048)
CLIENT, SECRET = "aura", "of the client"


class FakeIssuer:
    """Signs whoever a test wants.

    Attributes:
        claims: Over what it would say otherwise.
        asked: The forms that came to its token endpoint.
    """

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.key = KEY
        self.asked: list[dict[str, Any]] = []
        self.nonce = ""
        self.url = ""

    async def discovery(self, _: web.Request) -> web.Response:
        paths = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
        return web.json_response({"issuer": self.url, **{name: self.url + path for name, path in paths.items()}})

    async def keys(self, _: web.Request) -> web.Response:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        return web.json_response({"keys": [{**key, "kid": "one", "use": "sig", "alg": "RS256"}]})

    async def token(self, request: web.Request) -> web.Response:
        self.asked.append(dict(await request.post()))
        now = int(time.time())  # noqa: TID251 - of a token
        claims = {"iss": self.url, "aud": CLIENT, "sub": "7", "iat": now, "exp": now + 300, "nonce": self.nonce}
        claims |= {"email": "ann@example.org", "email_verified": True, **self.claims}
        return web.json_response({"id_token": jwt.encode(claims, self.key, "RS256", {"kid": "one"})})


@asynccontextmanager
async def signing_in(state: PipelineState, *allowed: str) -> AsyncIterator[tuple[Client, FakeIssuer]]:
    fake = FakeIssuer()
    app = web.Application()
    app.add_routes([web.get("/.well-known/openid-configuration", fake.discovery), web.get("/keys", fake.keys)])
    app.add_routes([web.post("/token", fake.token)])
    async with TestServer(app) as server:
        fake.url = str(server.make_url("")).rstrip("/")
        access = OidcAccess(fake.url, CLIENT, SECRET, frozenset(allowed or ("ann@example.org",)))
        async with page_server(state, None, access=access) as client:
            yield client, fake


async def begin(client: Client, fake: FakeIssuer, link: str = "") -> dict[str, str]:
    """To the issuer; what it was told."""
    answer = await client.get(f"/api/access/sign-in{link}", allow_redirects=False)
    assert answer.status == 302 and answer.headers["Location"].startswith(f"{fake.url}/authorize?")
    told = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
    fake.nonce = told["nonce"]
    return told


async def come_back(client: Client, state: str, code: str = "c") -> str:
    """Where it leads."""
    asked = {"state": state, "code": code}
    answer = await client.get("/api/access/callback", params=asked, allow_redirects=False)
    return answer.headers["Location"]


async def may_call(client: Client) -> bool:
    answer = await client.post("/api/token")
    assert answer.status == 201 or (await answer.json())["error"]["code"] == "sign_in"
    return answer.status == 201


async def test_whom_it_vouches_for_calls_from_this_browser_from_then_on(state: PipelineState) -> None:
    async with signing_in(state) as (client, fake):
        assert not await may_call(client)
        told = await begin(client, fake)
        assert (told["client_id"], told["code_challenge_method"]) == (CLIENT, "S256")
        assert await come_back(client, told["state"]) == "/"
        assert await may_call(client)
        assert fake.asked[0]["client_secret"] == SECRET
        assert fake.asked[0]["redirect_uri"] == told["redirect_uri"]


@pytest.mark.parametrize(
    ("followed", "kept"),
    [
        ("?room=the+hall&camera=1&lang=de&autostart=1", "room=the+hall&camera=1&lang=de&autostart=1"),
        ("?access=failed&room=a%0d%0ab&next=//evil.example", "room=a%0D%0Ab"),
        (f"?room={'x' * 600}", ""),
    ],
)
async def test_whoever_followed_a_link_comes_back_to_it(state: PipelineState, followed: str, kept: str) -> None:
    async with signing_in(state) as (client, fake):
        told = await begin(client, fake, followed)
        assert await come_back(client, told["state"]) == (f"/?{kept}" if kept else "/")
        told = await begin(client, fake, followed)
        fake.claims = {"exp": 1}
        assert await come_back(client, told["state"]) == "/?access=failed" + (f"&{kept}" if kept else "")


@pytest.mark.parametrize(
    ("allowed", "claims"),
    [
        ("bob@example.org", {}),
        ("@example.com", {}),
        ("@example.org", {"email_verified": False}),
        ("@example.org", {"email": "ann@example.org.evil.net"}),
        ("*", {"aud": "somebody-else"}),
        ("*", {"iss": "https://evil.example"}),
        ("*", {"nonce": "of another sign-in"}),
        ("*", {"exp": 1}),
    ],
)
async def test_others_may_not(state: PipelineState, allowed: str, claims: dict[str, Any]) -> None:
    async with signing_in(state, allowed) as (client, fake):
        told = await begin(client, fake)
        fake.claims = claims
        assert await come_back(client, told["state"]) == "/?access=failed"
        assert not await may_call(client)


async def test_all_of_a_domain_may(state: PipelineState) -> None:
    async with signing_in(state, "@example.org") as (client, fake):
        assert await come_back(client, (await begin(client, fake))["state"]) == "/"


async def test_a_key_of_others_signs_nobody_in(state: PipelineState) -> None:
    async with signing_in(state, "*") as (client, fake):
        fake.key = FOREIGN_KEY
        assert await come_back(client, (await begin(client, fake))["state"]) == "/?access=failed"


async def test_a_sign_in_that_this_browser_has_not_begun_is_none(state: PipelineState) -> None:
    async with signing_in(state, "*") as (client, fake):
        assert await come_back(client, "x") == "/?access=failed"
        await begin(client, fake)
        assert await come_back(client, "x") == "/?access=failed"
        assert fake.asked == []


async def test_an_issuer_that_is_away_is_no_way_in(state: PipelineState) -> None:
    access = OidcAccess("http://127.0.0.1:1", CLIENT, SECRET, frozenset("*"))
    async with page_server(state, None, access=access) as client:
        answer = await client.get("/api/access/sign-in", allow_redirects=False)
        assert answer.headers["Location"] == "/?access=failed"
