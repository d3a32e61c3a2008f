"""`GET /api/sample?voice=NAME&persona=NAME`: how a persona greets, and its voice sounds, before anybody calls."""

from aiohttp import web

from agent.persona.persona import AURA, Persona
from agent.settings.agent import PipelineSettings, WebSettings
from agent.web.problem import Problem
from agent.web.token_endpoint import TRY_AGAIN_S
from agent.web.voice_samples import SampleFailed, VoiceSamples
from pipeline.realtime.about import ask_about
from pipeline.realtime.client import PipelineError, PipelineFull, PipelineStarting, Unreachable

MOST_WAITING = 8  # requests at once, of which one has a sample made
KEPT_S = 3_600  # for which a browser keeps one


def offers_samples(settings: WebSettings) -> bool:
    """Whether this server may have the pipeline speak: it was told its key."""
    return bool(settings.pipeline_key)


def sample_route(settings: WebSettings) -> web.RouteDef:
    """The endpoint: a WAV file, or JSON that says why not."""
    pipeline = PipelineSettings(settings.pipeline_url, settings.pipeline_key)
    samples = VoiceSamples(pipeline)
    waiting = 0

    async def sample(request: web.Request) -> web.Response:
        nonlocal waiting
        waiting += 1
        try:
            if not offers_samples(settings):
                raise Problem(404, "no_samples", "This server has no key of the speech server: AURA_PIPELINE_KEY.")
            if waiting > MOST_WAITING:
                raise Problem(503, "busy", "Too many samples are asked for just now.", TRY_AGAIN_S)
            persona = _persona(settings, request.query.get("persona", ""))
            wav = await _sample(settings, samples, persona, request.query.get("voice", ""))
        except Problem as problem:
            return problem.response()
        finally:
            waiting -= 1
        return web.Response(body=wav, content_type="audio/wav", headers={"Cache-Control": f"private, max-age={KEPT_S}"})

    return web.get("/api/sample", sample)


def _persona(settings: WebSettings, name: str) -> Persona:
    """The one of that name; empty: the one with which a call begins."""
    first, _ = settings.persona.persona(AURA)
    offered = settings.persona.catalogue(AURA)
    for persona in (first, *offered.personas):
        if name in ("", persona.name):
            return persona
    there = ", ".join(offered.names) or first.name
    raise Problem(404, "no_persona", f"persona: {name[:64]!r} is not offered; there is: {there}")


async def _sample(settings: WebSettings, samples: VoiceSamples, persona: Persona, asked: str) -> bytes:
    """
    Args:
        asked: The name of a voice; empty: the persona's, else the pipeline's own.
    """
    try:
        about = await ask_about(settings.pipeline_url)
        if not about.ready:
            raise Problem(503, "starting", "The speech server is still starting.", TRY_AGAIN_S)
        voice = asked or persona.voice or next(iter(about.voices), "")
        if voice not in about.voices:
            there = ", ".join(about.voices) or "none with a name"
            raise Problem(404, "no_voice", f"voice: {voice[:64]!r} is not served; there is: {there}")
        return await samples.of(persona, voice, about)
    except Unreachable as error:
        raise Problem(503, "unreachable", "The speech server cannot be reached.", TRY_AGAIN_S) from error
    except PipelineStarting as error:
        raise Problem(503, "starting", "The speech server is still starting.", TRY_AGAIN_S) from error
    except PipelineFull as error:
        raise Problem(503, "full", "All places are taken just now.", TRY_AGAIN_S) from error
    except (PipelineError, SampleFailed) as error:
        raise Problem(502, "failed", f"The voice could not be heard: {error}.") from error
