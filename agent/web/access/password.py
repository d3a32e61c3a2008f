"""`POST /api/access/password`: whoever knows the password may call from this browser."""

import hmac
from collections.abc import Callable
from hashlib import sha256

import msgspec
from aiohttp import web

from agent.web.access.rate_limit import RateLimit
from agent.web.access.sessions import Sessions
from agent.web.problem import Problem, body_of

TRIES, WITHIN_S = 10, 600.0  # wrong ones, of one address
LONGEST = 1_024  # bytes of a request


class PasswordRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends."""

    password: str


def password_route(password: str, sessions: Sessions, caller: Callable[[web.Request], str]) -> web.RouteDef:
    """The endpoint: 204 and a cookie, or JSON that says why not.

    Args:
        caller: Tells by which address a request's tries are counted.
    """
    wrong_tries = RateLimit(TRIES, WITHIN_S)
    right = _digest(password)

    async def enter(request: web.Request) -> web.StreamResponse:
        address = caller(request)
        try:
            # Read first: of many that come at once, each would be let through while bodies are on their way.
            asked = _asked(await body_of(request, LONGEST))
            if wait_s := wrong_tries.wait_s(address):
                raise Problem(429, "too_many_tries", "That was tried too often from this address.", wait_s)
            if not hmac.compare_digest(_digest(asked), right):
                wrong_tries.count(address)
                raise Problem(403, "wrong_password", "This is not the password.")
        except Problem as problem:
            return problem.response()
        response = web.Response(status=204)
        sessions.open(request, response)
        return response

    return web.post("/api/access/password", enter)


def _asked(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=PasswordRequest).password
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Problem(400, "invalid_request", str(error)) from error


def _digest(text: str) -> bytes:
    """Of one length whatever the text's is, so that comparing takes the same time."""
    return sha256(text.encode(errors="surrogatepass")).digest()
