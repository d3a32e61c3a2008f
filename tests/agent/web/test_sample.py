"""How voices sound, before anybody talks with them: made by a real pipeline of scripted engines."""

import asyncio
import io
import json
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agent.persona.changes import PersonaChanges
from agent.persona.greetings import GREETINGS
from agent.persona.persona import AURA
from agent.settings.agent import PipelineSettings, WebSettings
from agent.settings.persona import PersonaSettings
from agent.web.server import application
from agent.web.voice_samples import SampleFailed, VoiceSamples
from pipeline.realtime.about import PipelineAbout
from pipeline.realtime.client import connect
from tests.agent.web.page_server import LIVEKIT, UNREACHABLE, Client, PipelineState, page_server
from tests.served import KEY, Served, served

POLL_S = 0.05

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def page_of(url: str, key: str = KEY, **others: Any) -> AsyncIterator[Client]:
    settings = WebSettings(url, LIVEKIT, pipeline_key=key, **others)
    async with TestClient(TestServer(application(settings, None))) as client:
        yield client


async def heard(client: Client, voice: str) -> float:
    """The seconds of a sample."""
    response = await client.get("/api/sample", params={"voice": voice})
    assert (response.status, response.content_type) == (200, "audio/wav"), await response.text()
    with wave.open(io.BytesIO(await response.read())) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        return float(file.getnframes() / file.getframerate())


async def refused(client: Client, voice: str = "alto", **others: str) -> tuple[int, str, str]:
    response = await client.get("/api/sample", params={"voice": voice, **others})
    error = (await response.json())["error"]
    return response.status, error["code"], error["message"]


def spoken(pipeline: Served) -> list[tuple[str, str]]:
    """What the voices were given, and which of them."""
    return [(prompt.text, prompt.voice) for prompt in pipeline.line.tts.prompts]


async def test_a_voice_says_the_greeting_and_is_asked_only_once() -> None:
    async with served() as pipeline, page_of(pipeline.url) as client:
        length = await heard(client, "alto")
        assert length > 0.1
        assert await heard(client, "alto") == length
        said = spoken(pipeline)
        assert " ".join(text for text, _ in said) == GREETINGS["en"]
        assert {voice for _, voice in said} == {"alto"}
        await heard(client, "tenor")
        assert {voice for _, voice in spoken(pipeline)} == {"alto", "tenor"}


async def test_many_who_ask_at_once_have_it_made_once() -> None:
    async with served(max_sessions=1) as pipeline, page_of(pipeline.url) as client:
        lengths = await asyncio.gather(*(heard(client, "alto") for _ in range(5)))
        assert len(set(lengths)) == 1
        assert " ".join(text for text, _ in spoken(pipeline)) == GREETINGS["en"]


async def test_a_persona_is_heard_by_its_own_greeting_and_by_its_name_where_it_has_none() -> None:
    for changes, text in (
        ({"name": "Nova", "greeting": "Good morning."}, "Good morning."),
        ({"name": "Nova", "greeting": ""}, GREETINGS["en"].replace("Aura", "Nova")),
    ):
        persona = PersonaSettings(PersonaChanges(changes))
        async with served() as pipeline, page_of(pipeline.url, persona=persona) as client:
            await heard(client, "alto")
            assert " ".join(text for text, _ in spoken(pipeline)) == text


async def test_a_persona_that_is_chosen_greets_with_its_own_voice() -> None:
    nova = PersonaChanges({"name": "Nova", "voice": "alto", "greeting": "Good morning."})
    persona = PersonaSettings(others=(nova,))
    async with served() as pipeline, page_of(pipeline.url, persona=persona) as client:
        assert (await client.get("/api/sample", params={"persona": "Nova"})).status == 200
        assert spoken(pipeline) == [("Good morning.", "alto")]
        assert await refused(client, persona="Eve") == (
            404,
            "no_persona",
            "persona: 'Eve' is not offered; there is: Aura, Nova",
        )
        assert (await client.get("/api/sample")).status == 200
        assert spoken(pipeline)[-1][1] == "tenor", "the pipeline's own"


async def test_a_voice_that_is_not_there_is_named_with_those_that_are() -> None:
    async with served() as pipeline, page_of(pipeline.url) as client:
        assert await refused(client, "bass") == (
            404,
            "no_voice",
            "voice: 'bass' is not served; there is: tenor, alto",
        )
        assert spoken(pipeline) == []


async def test_whoever_has_no_sample_says_why() -> None:
    async with page_of(UNREACHABLE) as client:
        assert await refused(client) == (503, "unreachable", "The speech server cannot be reached.")
    async with page_of(UNREACHABLE, key="") as client:
        assert (await refused(client))[:2] == (404, "no_samples")
        assert (await (await client.get("/api/about")).json())["samples"] is False
    state = PipelineState()
    state.about = json.dumps({"model": "aura-scripted", "ready": False, "voices": ["alto"]})
    async with page_server(state, None, pipeline_key=KEY) as client:
        assert (await refused(client))[:2] == (503, "starting")
        assert (await (await client.get("/api/about")).json())["samples"] is True


async def test_a_pipeline_whose_places_are_taken_speaks_no_sample() -> None:
    async with served(max_sessions=1) as pipeline, page_of(pipeline.url) as client:
        async with connect(pipeline.url, KEY):
            assert await refused(client) == (503, "full", "All places are taken just now.")
        for _ in range(100):  # the place is given back a moment later
            if (await client.get("/api/sample", params={"voice": "alto"})).status == 200:
                return
            await asyncio.sleep(POLL_S)
        pytest.fail("the refusal was kept")


async def test_a_wrong_key_is_told() -> None:
    async with served() as pipeline, page_of(pipeline.url, key="another") as client:
        status, code, message = await refused(client)
        assert (status, code) == (502, "failed")
        assert "key" in message


async def test_a_voice_that_does_not_answer_in_time_is_given_up() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    app = web.Application()
    app.add_routes([web.get("/v1/realtime", silent)])
    async with TestServer(app) as server:
        samples = VoiceSamples(PipelineSettings(str(server.make_url("")).rstrip("/"), KEY), made_within_s=0.2)
        with pytest.raises(SampleFailed, match="it was not spoken in time"):
            await samples.of(AURA, "alto", PipelineAbout("m", ready=True, voices=("alto",)))
