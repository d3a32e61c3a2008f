"""What stands beside `/v1/realtime`."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from pipeline.engines.fake import FakeEngine, Step, writes
from pipeline.realtime.about import PipelineAbout, ask_about
from pipeline.realtime.client import PipelineRefused, readiness, tell_worker
from pipeline.realtime.server import Server
from pipeline.types.chunks import AsrInput, DraftOutcome, Transcript
from tests.contract.wire_caller import calling
from tests.contract.wire_media import loud
from tests.contract.wire_wait import PATIENCE_S, eventually
from tests.gpu.chain_server import loop_lag_s
from tests.scenario import Line
from tests.served import KEY, served

pytestmark = pytest.mark.contract

KNOWN = {"Authorization": f"Bearer {KEY}"}


async def test_health_readiness_and_models() -> None:
    async with served(max_sessions=2) as pipeline, aiohttp.ClientSession(pipeline.url) as http:
        async with http.get("/health") as response:
            assert (response.status, await response.json()) == (200, {"alive": True})
        async with http.get("/ready") as response:
            body = await response.json()
            assert (response.status, body["ready"], body["free_sessions"]) == (200, True, 2)
        async with calling(pipeline), calling(pipeline), http.get("/ready") as response:
            body = await response.json()
            assert (response.status, body["ready"], body["free_sessions"]) == (200, True, 0), "full is still ready"
        async with http.get("/v1/models", headers=KNOWN) as response:
            assert [model["id"] for model in (await response.json())["data"]] == ["aura-scripted"]


async def test_workers_that_take_callers_are_counted_while_they_say_so() -> None:
    async with served() as pipeline, aiohttp.ClientSession(pipeline.url) as http:

        async def workers() -> int:
            return (await readiness(pipeline.url)).workers

        async def said(by: str, body: str) -> int:
            async with http.put(f"/v1/workers/{by}", data=body, headers=KNOWN) as response:
                return response.status

        assert await workers() == 0
        for worker in ("ann", "ben", "ann"):
            await tell_worker(pipeline.url, KEY, worker, takes_calls=True, timeout_s=PATIENCE_S)
        assert await workers() == 2
        await tell_worker(pipeline.url, KEY, "ann", takes_calls=False, timeout_s=PATIENCE_S)
        assert await workers() == 1
        assert await said("ben", '{"takes_calls": 1}') == 400 and await said("B..n", "{}") == 404
        deep = f'{{"takes_calls": true, "more": {"[" * 5_000}{"]" * 5_000}}}'
        assert await said("ben", deep) == await said("ben", '{"takes_calls": true}' + " " * (2 << 20)) == 400
        assert await workers() == 1
        with pytest.raises(PipelineRefused):
            await tell_worker(pipeline.url, "another key", "cleo", takes_calls=True, timeout_s=PATIENCE_S)


async def test_what_a_pipeline_says_of_itself() -> None:
    async with served() as pipeline, aiohttp.ClientSession(pipeline.url) as http:
        about = await ask_about(pipeline.url)
        assert about == PipelineAbout(
            "aura-scripted",
            ready=True,
            sees=False,
            languages=("en", "fr"),
            voices=("tenor", "alto"),
            voice_languages=("en", "fr"),
            tools=True,
            transcribes=True,
        )
        assert (await (await http.get("/about")).json())["tools"] is True


@pytest.mark.parametrize(("host", "told"), [("", None), ("localhost", None), ("llm.example.org", "llm.example.org")])
async def test_a_pipeline_that_starts_says_who_will_answer(host: str, told: str | None) -> None:
    async with TestServer(Server("aura-scripted", KEY, answers_from=host).app()) as server:
        about = await ask_about(str(server.make_url("")))
    assert about == PipelineAbout("aura-scripted", ready=False, answers_from=told)


async def test_the_figures_of_a_turn() -> None:
    async with served() as pipeline, aiohttp.ClientSession(pipeline.url) as http:
        async with calling(pipeline) as caller:
            await caller.still_works()
            await caller.send("nonsense")
            await caller.refusal()
            figures = await (await http.get("/metrics")).text()
        assert "aura_sessions 1.0" in figures
        assert 'aura_responses_total{status="completed"} 1.0' in figures
        assert 'aura_refused_events_total{code="unknown_event"} 1.0' in figures
        assert "aura_first_audio_seconds_count 1.0" in figures
        assert 'aura_engine_busy{stage="aura"} 0.0' in figures
        await eventually(lambda: pipeline.pipeline.free_sessions == 4)
        assert "aura_sessions 0.0" in await (await http.get("/metrics")).text()


async def test_the_drafts_of_the_recogniser_are_among_the_figures() -> None:
    became = iter((None, DraftOutcome(6, 6), DraftOutcome(8, 5)))

    def script(window: AsrInput) -> Iterable[Step[Transcript]]:
        yield 0.0, Transcript("Hello.", window.audio_end_ms, window.settles, draft=next(became))

    async with served(Line(asr=FakeEngine(script))) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        for _ in range(3):
            await caller.sounds(loud(0.6))
            await caller.send("input_audio_buffer.commit")
            await caller.until("conversation.item.input_audio_transcription.completed")
        async with aiohttp.ClientSession(pipeline.url) as http:
            figures = await (await http.get("/metrics")).text()
    for what in ("none", "right", "wrong"):
        assert f'aura_asr_passes_total{{draft="{what}"}} 1.0' in figures
    assert "aura_spec_decode_draft_tokens_total 14.0" in figures
    assert "aura_spec_decode_accepted_tokens_total 11.0" in figures


async def test_what_a_cancel_took_is_among_the_figures() -> None:
    line = Line(aura=replace(writes("One. " * 100, word_s=0.05), abort_s=0.2))
    async with served(line) as pipeline, aiohttp.ClientSession(pipeline.url) as http, calling(pipeline) as caller:
        await caller.send("response.create")
        await caller.until("response.output_audio.delta")
        await caller.send("response.cancel")
        await eventually(lambda: line.aura.aborted != [] and line.aura.running == [])
        figures = await (await http.get("/metrics")).text()
    assert 'aura_cancel_seconds_bucket{le="0.15",stage="aura"} 0.0' in figures
    assert 'aura_cancel_seconds_bucket{le="0.5",stage="aura"} 1.0' in figures


async def test_who_asks_once_a_second_is_told_of_each_delay_of_the_event_loop() -> None:
    async with served() as pipeline, aiohttp.ClientSession(pipeline.url) as http:
        await (await http.get("/metrics")).text()
        time.sleep(0.5)  # noqa: ASYNC251 - the loop stands still
        await asyncio.sleep(0.6)
        figures = await (await http.get("/metrics")).text()
    assert loop_lag_s(figures) > 0.2


async def test_only_what_is_behind_the_key_wants_it() -> None:
    async with served() as pipeline, aiohttp.ClientSession(pipeline.url) as http:
        for path in ("/v1/models", "/v1/realtime", "/%761/models", "/v1/nothing"):
            async with http.get(path) as response:
                assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer"), path
        async with http.get("/v1/models", headers={"Authorization": f"bearer {KEY}"}) as response:
            assert response.status == 200


async def test_a_key_that_is_not_even_text() -> None:
    async with served() as pipeline:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(pipeline.url.rpartition(":")[2]))
        writer.write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n\r\n")
        status = await asyncio.wait_for(reader.readline(), PATIENCE_S)
        writer.close()
    assert status == b"HTTP/1.1 401 Unauthorized\r\n"


async def test_who_brings_no_websocket_is_told_so() -> None:
    async with (
        served() as pipeline,
        aiohttp.ClientSession(pipeline.url) as http,
        http.get("/v1/realtime", headers=KNOWN) as response,
    ):
        assert (response.status, response.headers["Upgrade"]) == (426, "websocket")


async def test_until_the_engines_have_started_it_is_alive_and_not_ready() -> None:
    runner = web.AppRunner(Server("aura-scripted", KEY).app())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as http:
            assert (await http.get("/health")).status == 200
            assert (await http.get("/metrics")).status == 200
            async with http.get("/ready") as response:
                assert (response.status, await response.json()) == (503, {"ready": False, "free_sessions": 0})
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await http.ws_connect("/v1/realtime", headers=KNOWN)
            assert refused.value.status == 503
            assert refused.value.headers and refused.value.headers["Retry-After"] == "5"
    finally:
        await runner.cleanup()


async def test_a_model_that_is_not_here_is_refused_by_name() -> None:
    async with served(max_sessions=1) as pipeline, aiohttp.ClientSession(pipeline.url, headers=KNOWN) as http:
        headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
        async with http.get("/v1/realtime", params={"model": "aura-9"}, headers=headers | key) as response:
            error = (await response.json())["error"]
        assert (response.status, error["code"], error["param"]) == (404, "model_not_found", "model")
        assert "'aura-9' is not served" in error["message"] and "there is: aura-scripted" in error["message"]
        for known in ("aura-scripted", "aura", "gpt-realtime", "gpt-4o-realtime-preview"):
            async with calling(pipeline, model=known) as caller:
                assert (await caller.until("session.created"))["session"]["model"] == "aura-scripted"
