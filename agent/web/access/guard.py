"""Stands before what costs the machine something: only for who has passed the check, and not without bounds."""

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from agent.settings.access import OidcAccess, PasswordAccess
from agent.settings.agent import WebSettings
from agent.web.access.caller_address import caller_addresses
from agent.web.access.password import password_route
from agent.web.access.rate_limit import RateLimit
from agent.web.access.sessions import Sessions
from agent.web.access.sign_in import sign_in_routes
from agent.web.origin_check import check_origin
from agent.web.problem import Problem

GUARDED = ("/api/token", "/api/sample")
ACCESS = "/api/access/"
MOST, WITHIN_S = 60, 60.0  # requests for what is guarded, of one address


def guard(settings: WebSettings) -> tuple[Middleware, list[web.RouteDef]]:
    """What stands before all routes, and the routes by which somebody passes."""
    sessions = Sessions(_secret(settings), embedded=bool(settings.embed))
    requests, caller = RateLimit(MOST, WITHIN_S), caller_addresses(settings.proxies)

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if settings.access is None or not request.path.startswith((*GUARDED, ACCESS)):
            return await handler(request)
        try:
            _check_origin(request, settings)
            address = caller(request)
            if wait_s := requests.wait_s(address):
                raise Problem(429, "too_many", "Too much was asked for from this address.", wait_s)
            requests.count(address)
            if not request.path.startswith(ACCESS) and not sessions.admits(request):
                raise _not_passed(settings)
        except Problem as problem:
            return problem.response()
        return await handler(request)

    match settings.access:
        case PasswordAccess(password):
            return check, [password_route(password, sessions, caller)]
        case OidcAccess() as oidc:
            return check, sign_in_routes(oidc, sessions)
    return check, []


def _check_origin(request: web.Request, settings: WebSettings) -> None:
    if who := check_origin(request.host, request.headers.get("Origin"), settings.listens_on, settings.hosts):
        raise Problem(who.status, who.code, who.message)


def _not_passed(settings: WebSettings) -> Problem:
    if isinstance(settings.access, PasswordAccess):
        return Problem(401, "password", "Whoever calls here must know the password.")
    return Problem(401, "sign_in", "Whoever calls here must sign in.")


def _secret(settings: WebSettings) -> str:
    """Of the installation and of the check: another password closes what the old one has opened."""
    match settings.access:
        case PasswordAccess(password):
            return f"{settings.livekit.api_secret} password {password}"
        case OidcAccess(issuer, client_id, secret):
            return f"{settings.livekit.api_secret} oidc {issuer} {client_id} {secret}"
    return settings.livekit.api_secret
