"""`GET /api/access/sign-in` and its callback: whom the issuer vouches for may call from this browser."""

import hmac
import logging
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256

from aiohttp import web

from agent.settings.access import OidcAccess
from agent.web.access.issuer import Issuer, SignInFailed
from agent.web.access.sessions import SIGN_IN, SIGN_IN_LIFETIME, Sessions, is_outside

logger = logging.getLogger(__name__)

START, CALLBACK = "/api/access/sign-in", "/api/access/callback"
FAILED = "/?access=failed"  # the page says so


def sign_in_routes(settings: OidcAccess, sessions: Sessions) -> list[web.RouteDef]:
    """The endpoints: each leads the browser on."""
    issuer = Issuer(settings)

    async def start(request: web.Request) -> web.StreamResponse:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        try:
            url = await issuer.sign_in_url(_redirect(request), state, nonce, challenge)
        except SignInFailed as error:
            return _failed(error)
        response = _leads_to(url)
        told = {"state": state, "nonce": nonce, "verifier": verifier}
        sessions.write(request, response, SIGN_IN, told, SIGN_IN_LIFETIME)
        return response

    async def callback(request: web.Request) -> web.StreamResponse:
        begun = sessions.read(request, SIGN_IN)
        try:
            if not begun or not hmac.compare_digest(request.query.get("state", "").encode(), begun["state"].encode()):
                raise SignInFailed("it was not begun in this browser, or longer than ten minutes ago")
            if not (code := request.query.get("code")):
                raise SignInFailed("the issuer has refused it")
            await issuer.check(code, _redirect(request), begun["nonce"], begun["verifier"])
        except SignInFailed as error:
            return _failed(error)
        response = _leads_to("/")
        sessions.open(request, response)
        sessions.forget(response, SIGN_IN)
        return response

    return [web.get(START, start), web.get(CALLBACK, callback)]


def _redirect(request: web.Request) -> str:
    return f"{'https' if is_outside(request) else 'http'}://{request.host}{CALLBACK}"


def _failed(error: SignInFailed) -> web.Response:
    logger.warning("a sign-in has failed", extra={"why": str(error)})
    return _leads_to(FAILED)


def _leads_to(url: str) -> web.Response:
    return web.Response(status=302, headers={"Location": url, "Cache-Control": "no-store"})
