"""Who has passed the check: a signed cookie, so that nothing is kept here."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

import jwt
from aiohttp import web
from jwt.types import Options

from pipeline.realtime.loopback import is_loopback

LIFETIME, SIGN_IN_LIFETIME = timedelta(hours=12), timedelta(minutes=10)
ALGORITHM = "HS256"
Purpose = Literal["aura_session", "aura_sign_in"]
SESSION: Purpose = "aura_session"
SIGN_IN: Purpose = "aura_sign_in"


class Sessions:
    """Makes and reads the cookies.

    Args:
        secret: Another one makes all cookies worthless: it holds what the check is made of.
        embedded: Pages of others may show ours in a frame, and it is signed in there, too.
    """

    def __init__(self, secret: str, *, embedded: bool = False) -> None:
        self._key, self._embedded = sha256(f"aura access {secret}".encode()).digest(), embedded

    def admits(self, request: web.Request) -> bool:
        return self.read(request, SESSION) is not None

    def open(self, request: web.Request, response: web.StreamResponse) -> None:
        """Have the browser remember that it has passed."""
        self.write(request, response, SESSION, {}, LIFETIME)

    def read(self, request: web.Request, purpose: Purpose) -> dict[str, Any] | None:
        """What a cookie of ours says; None: there is none, or it is too old."""
        try:
            required: Options = {"require": ["exp", "aud"]}
            cookie = request.cookies.get(purpose, "")
            return dict(jwt.decode(cookie, self._key, [ALGORITHM], audience=purpose, options=required))
        except jwt.InvalidTokenError:
            return None

    def write(
        self,
        request: web.Request,
        response: web.StreamResponse,
        purpose: Purpose,
        told: dict[str, str],
        lifetime: timedelta,
    ) -> None:
        until = datetime.now(UTC) + lifetime  # noqa: TID251 - it outlives this process
        value = jwt.encode({**told, "aud": purpose, "exp": until}, self._key, ALGORITHM)
        # A sign-in comes back from another site, of which a strict cookie would not come along.
        site = "None" if self._embedded else "Lax" if purpose == SIGN_IN else "Strict"
        response.set_cookie(
            purpose,
            value,
            max_age=int(lifetime.total_seconds()),
            path="/api/",
            httponly=True,
            secure=is_outside(request),
            samesite=site,
        )

    def forget(self, response: web.StreamResponse, purpose: Purpose) -> None:
        response.del_cookie(purpose, path="/api/")


def is_outside(request: web.Request) -> bool:
    """Whether the page was opened at another name than this machine's own: then there is TLS in front of it."""
    return not is_loopback(request.url.host or "")
