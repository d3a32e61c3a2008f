"""What the page may say of this installation: only what is true."""

import json

import pytest
from aiohttp.test_utils import TestClient, TestServer

from agent.persona.changes import PersonaChanges
from agent.settings.agent import WebSettings
from agent.settings.persona import PersonaSettings
from agent.web.about import Elsewhere, installation_about
from agent.web.server import application
from pipeline.realtime.about import PipelineAbout
from tests.agent.web.page_server import LIVEKIT, UNREACHABLE, Client, PipelineState, page_server

pytestmark = pytest.mark.anyio

HERE, THERE = "127.0.0.1", "10.0.0.7"


@pytest.mark.parametrize(
    ("pipeline_host", "livekit_host", "answers_from", "elsewhere"),
    [
        (HERE, "localhost", None, Elsewhere()),
        ("[::1]", HERE, None, Elsewhere()),
        (HERE, THERE, None, Elsewhere(media=THERE)),
        ("gpu.lan", HERE, None, Elsewhere(pipeline="gpu.lan")),
        (HERE, HERE, "llm.example.org", Elsewhere(answers="llm.example.org")),
    ],
)
def test_it_runs_here_only_if_all_of_it_does(
    pipeline_host: str, livekit_host: str, answers_from: str | None, elsewhere: Elsewhere
) -> None:
    pipeline = PipelineAbout("aura-scripted", ready=True, answers_from=answers_from)
    about = installation_about(f"http://{pipeline_host}:8100", f"ws://{livekit_host}:7880", pipeline)
    assert (about.runs_here, about.elsewhere) == (elsewhere == Elsewhere(), elsewhere)


def test_of_a_pipeline_that_does_not_answer_nothing_is_said() -> None:
    about = installation_about("http://127.0.0.1:8100", "ws://127.0.0.1:7880", None)
    assert (about.state, about.runs_here, about.sees) == ("away", False, None)


async def test_what_the_pipeline_can_do_is_passed_on(client: Client, state: PipelineState) -> None:
    state.about = json.dumps(
        {
            "model": "aura-scripted",
            "ready": True,
            "sees": True,
            "languages": ["en", "es"],
            "voices": ["alto"],
            "voice_languages": ["en"],
            "something_new": [1],
        }
    )
    response = await client.get("/api/about")
    assert response.headers["Cache-Control"] == "no-store"
    assert await response.json() == {
        "state": "ready",
        "runs_here": True,
        "elsewhere": {},
        "sees": True,
        "languages": ["en", "es"],
        "voices": ["alto"],
        "voice_languages": ["en"],
        "tools": False,
        "feedback": False,
        "samples": False,
        "records": False,
        "personas": [],
    }


async def test_a_pipeline_that_starts_is_said_to_start(client: Client, state: PipelineState) -> None:
    state.about = '{"model": "aura-scripted", "ready": false, "answers_from": "llm.example.org"}'
    about = await (await client.get("/api/about")).json()
    assert (about["state"], about["sees"], about["languages"]) == ("starting", None, [])
    assert about["elsewhere"] == {"answers": "llm.example.org"}


@pytest.mark.parametrize(
    "body", ["", "<html>", "[]", '{"ready": true}', '{"model": "a", "ready": true, "voices": "b"}']
)
async def test_what_is_no_pipeline_is_away(client: Client, state: PipelineState, body: str) -> None:
    state.about = body
    response = await client.get("/api/about")
    assert (response.status, (await response.json())["state"]) == (200, "away")


async def test_a_pipeline_that_is_away_is_said_to_be() -> None:
    async with TestClient(TestServer(application(WebSettings(UNREACHABLE, LIVEKIT), None))) as client:
        assert (await (await client.get("/api/about")).json())["state"] == "away"


async def test_who_the_agent_may_be_is_told_where_people_may_choose(state: PipelineState) -> None:
    persona = PersonaSettings(others=(PersonaChanges({"name": "Nova"}),))
    async with page_server(state, None, persona=persona) as client:
        assert (await (await client.get("/api/about")).json())["personas"] == ["Aura", "Nova"]
