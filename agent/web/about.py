"""`GET /api/about`: what this installation is and can do, as far as this server can find out."""

from typing import Literal
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from agent.persona.persona import AURA
from agent.settings.agent import WebSettings
from agent.web.sample import offers_samples
from pipeline.realtime.about import PipelineAbout, ask_about
from pipeline.realtime.client import Unreachable
from pipeline.realtime.loopback import is_loopback

PipelineState = Literal["ready", "starting", "away"]


class Elsewhere(msgspec.Struct, frozen=True, omit_defaults=True):
    """The hosts of what is on another machine, as far as is known.

    Attributes:
        media: The LiveKit server, through which sound and pictures go.
        pipeline: What hears and speaks.
        answers: The server that writes the answers in its place.
    """

    media: str | None = None
    pipeline: str | None = None
    answers: str | None = None


class InstallationAbout(msgspec.Struct, frozen=True):
    """What the page may say of this installation.

    Attributes:
        state: Of the pipeline. `starting`: it answers, and takes no callers yet.
        runs_here: All that hears, sees, answers and speaks is on the machine of this server. False until that is known.
        elsewhere: What of it is not.
        sees, languages, voices, voice_languages, tools: As `PipelineAbout` has them.
        feedback: What people think of their calls is kept.
        samples: `GET /api/sample` has a voice heard.
        records: Calls are recorded.
        personas: Names of who the agent may be; empty: it is only one.
    """

    state: PipelineState
    runs_here: bool
    elsewhere: Elsewhere
    sees: bool | None = None
    languages: tuple[str, ...] = ()
    voices: tuple[str, ...] = ()
    voice_languages: tuple[str, ...] = ()
    tools: bool = False
    feedback: bool = False
    samples: bool = False
    records: bool = False
    personas: tuple[str, ...] = ()


def about_route(settings: WebSettings) -> web.RouteDef:
    """The endpoint's route."""

    of_server = {
        "feedback": settings.feedback is not None,
        "samples": offers_samples(settings),
        "records": settings.records is not None,
        "personas": settings.persona.catalogue(AURA).names,
    }

    async def about(_: web.Request) -> web.Response:
        try:
            pipeline = await ask_about(settings.pipeline_url)
        except Unreachable:
            pipeline = None
        known = installation_about(settings.pipeline_url, settings.livekit.url, pipeline)
        body = msgspec.json.encode(msgspec.structs.replace(known, **of_server))
        return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-store"})

    return web.get("/api/about", about)


def installation_about(pipeline_url: str, livekit_url: str, pipeline: PipelineAbout | None) -> InstallationAbout:
    """What is known of the installation; `pipeline` is None while nobody answers at its address."""
    answers = pipeline.answers_from if pipeline else None
    elsewhere = Elsewhere(_elsewhere(livekit_url), _elsewhere(pipeline_url), answers)
    if pipeline is None:
        return InstallationAbout("away", runs_here=False, elsewhere=elsewhere)
    return InstallationAbout(
        "ready" if pipeline.ready else "starting",
        runs_here=elsewhere == Elsewhere(),
        elsewhere=elsewhere,
        sees=pipeline.sees,
        languages=pipeline.languages,
        voices=pipeline.voices,
        voice_languages=pipeline.voice_languages,
        tools=pipeline.tools,
    )


def _elsewhere(url: str) -> str | None:
    """The host of a URL unless it is this machine."""
    host = urlsplit(url).hostname or ""
    return None if is_loopback(host) else host
