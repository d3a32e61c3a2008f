"""An issuer of OpenID Connect: what it says of itself, the exchange of a code, and who its token speaks of.

Source: OpenID Connect Core 1.0 and Discovery 1.0; PKCE is RFC 7636. PyJWT checks the token.
"""

from typing import Any
from urllib.parse import urlencode

import aiohttp
import jwt
import msgspec
from jwt.types import Options

from agent.settings.access import ANYBODY, OidcAccess

PATIENCE_S = 10.0
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
SCOPES = "openid email"


class SignInFailed(Exception):
    """Nobody is vouched for; says why, without what was shown."""


class Discovered(msgspec.Struct, frozen=True):
    """What the issuer says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str


class Issuer:
    """Asks one issuer."""

    def __init__(self, settings: OidcAccess) -> None:
        self._settings = settings

    async def sign_in_url(self, redirect: str, state: str, nonce: str, challenge: str) -> str:
        """Where the browser goes to sign in.

        Raises:
            SignInFailed: The issuer cannot be asked.
        """
        async with self._http() as http:
            found = await self._discover(http)
        asked = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": redirect,
            "scope": SCOPES,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{found.authorization_endpoint}{'&' if '?' in found.authorization_endpoint else '?'}{urlencode(asked)}"

    async def check(self, code: str, redirect: str, nonce: str, verifier: str) -> None:
        """Return if whoever brings the code may call.

        Raises:
            SignInFailed: They may not, or the issuer cannot be asked.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "client_id": self._settings.client_id,
            "client_secret": self._settings.client_secret,
            "code_verifier": verifier,
        }
        try:
            async with self._http() as http:
                found = await self._discover(http)
                async with http.post(found.token_endpoint, data=form) as answer:
                    tokens = msgspec.json.decode(await answer.read(), type=_Tokens)
                keys = await self._json(http, found.jwks_uri, dict[str, Any])
        except (aiohttp.ClientError, TimeoutError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SignInFailed(f"the issuer gave no token: {type(error).__name__}") from error
        claims = self._claims(tokens.id_token, keys, found.issuer)
        if claims.get("nonce") != nonce:
            raise SignInFailed("the token is of another sign-in")
        if not self._allows(claims):
            raise SignInFailed("this person is not among AURA_OIDC_ALLOWED")

    def _claims(self, token: str, keys: dict[str, Any], issuer: str) -> dict[str, Any]:
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            known = jwt.PyJWKSet.from_dict(keys).keys
            key = next((each for each in known if key_id in (None, each.key_id)), None)
            if key is None:
                raise SignInFailed("the token is signed by none of the issuer's keys")
            options: Options = {"require": ["exp", "iat", "iss", "aud", "sub"]}
            audience = self._settings.client_id
            claims = jwt.decode(token, key, ALGORITHMS, audience=audience, issuer=issuer, leeway=30, options=options)
            return dict(claims)
        except jwt.PyJWTError as error:
            raise SignInFailed(f"the token is not good: {error}") from error

    def _allows(self, claims: dict[str, Any]) -> bool:
        if ANYBODY in self._settings.allowed:
            return True
        mail = str(claims.get("email", "")).lower()
        if not mail or claims.get("email_verified") is False:
            return False
        return mail in self._settings.allowed or f"@{mail.rpartition('@')[2]}" in self._settings.allowed

    async def _discover(self, http: aiohttp.ClientSession) -> Discovered:
        found: Discovered = await self._json(
            http, f"{self._settings.issuer}/.well-known/openid-configuration", Discovered
        )
        if found.issuer.rstrip("/") != self._settings.issuer:
            raise SignInFailed("the issuer calls itself by another name than AURA_OIDC_ISSUER")
        return found

    async def _json(self, http: aiohttp.ClientSession, url: str, kind: Any) -> Any:
        try:
            async with http.get(url) as answer:
                answer.raise_for_status()
                return msgspec.json.decode(await answer.read(), type=kind)
        except (aiohttp.ClientError, TimeoutError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SignInFailed(f"the issuer cannot be asked: {type(error).__name__}") from error

    def _http(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE_S))
