"""`GET /api/access/sign-in` and its callback: whom the issuer vouches for may call from this browser."""

import hmac
import logging
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from urllib.parse import urlencode

from aiohttp import web

from agent.settings.access import OidcAccess
from agent.web.access.issuer import Issuer, SignInFailed
from agent.web.access.sessions import SIGN_IN, SIGN_IN_LIFETIME, Sessions, is_outside

logger = logging.getLogger(__name__)

START, CALLBACK = "/api/access/sign-in", "/api/access/callback"
FAILED = "access=failed"  # the page says so
LINK = ("room", "camera", "lang", "autostart")  # of the page's address: it leads back to where somebody was
LONGEST_LINK = 512  # letters; it lies in the cookie


def sign_in_routes(settings: OidcAccess, sessions: Sessions) -> list[web.RouteDef]:
    """The endpoints: each leads the browser on."""
    issuer = Issuer(settings)

    async def start(request: web.Request) -> web.StreamResponse:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        try:
            url = await issuer.sign_in_url(_redirect(request), state, nonce, challenge)
        except SignInFailed as error:
            return _failed(error, _link(request))
        response = _leads_to(url)
        told = {"state": state, "nonce": nonce, "verifier": verifier, "link": _link(request)}
        sessions.write(request, response, SIGN_IN, told, SIGN_IN_LIFETIME)
        return response

    async def callback(request: web.Request) -> web.StreamResponse:
        begun = sessions.read(request, SIGN_IN)
        link = str(begun.get("link", "")) if begun else ""
        try:
            if not begun or not hmac.compare_digest(request.query.get("state", "").encode(), begun["state"].encode()):
                raise SignInFailed("it was not begun in this browser, or longer than ten minutes ago")
            if not (code := request.query.get("code")):
                raise SignInFailed("the issuer has refused it")
            await issuer.check(code, _redirect(request), begun["nonce"], begun["verifier"])
        except SignInFailed as error:
            return _failed(error, link)
        response = _leads_to(_page(link))
        sessions.open(request, response)
        sessions.forget(response, SIGN_IN)
        return response

    return [web.get(START, start), web.get(CALLBACK, callback)]


def _redirect(request: web.Request) -> str:
    return f"{'https' if is_outside(request) else 'http'}://{request.host}{CALLBACK}"


def _link(request: web.Request) -> str:
    """What the page was asked for in its address; empty: nothing, or too much to be kept."""
    link = urlencode({name: request.query[name] for name in LINK if name in request.query})
    return link if len(link) <= LONGEST_LINK else ""


def _page(*asked: str) -> str:
    query = "&".join(filter(None, asked))
    return f"/?{query}" if query else "/"


def _failed(error: SignInFailed, link: str) -> web.Response:
    logger.warning("a sign-in has failed", extra={"why": str(error)})
    return _leads_to(_page(FAILED, link))


def _leads_to(url: str) -> web.Response:
    return web.Response(status=302, headers={"Location": url, "Cache-Control": "no-store"})
