"""A language model behind OpenAI's chat completions: llama.cpp's own server, which nobody here wrote, asked by the
engine and by the whole pipeline as a user starts it."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.engines.chat_completions.engine import ChatCompletionsEngine
from pipeline.engines.llamacpp.server.server import LlamaServer
from pipeline.engines.llamacpp.server.settings import LlamaServerSettings
from pipeline.realtime.client import Unreachable, connect, readiness
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk
from tests.contract.embedded import MODULE_BACKEND, all_of, once
from tests.served import KEY

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
MODEL = "smollm2-135m-instruct"
START_S = 60.0


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def foreign(
    anyio_backend: object, models_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[LlamaServer]:
    model, states = models_dir / MODEL / "model.gguf", tmp_path_factory.mktemp("states")
    server = await LlamaServer.start(LlamaServerSettings(str(model), str(states), 2, 2_048, 64, 0, 1, 1))
    yield server
    await server.aclose()


@pytest.fixture
def endpoint(foreign: LlamaServer) -> ChatEndpoint:
    return ChatEndpoint(f"{foreign.process.address}/v1", key=foreign.process.key)


async def test_it_is_asked_answers_and_counts(endpoint: ChatEndpoint) -> None:
    async with aclosing(await ChatCompletionsEngine.open(endpoint, 0.0)) as engine:
        question = ChatMessage("user", "What is the capital of France? Answer in one word.")
        told = await all_of(engine, ChatPrompt((question,), "", 16))
    chunks = [chunk for chunk in told if isinstance(chunk, TextChunk)]
    assert "paris" in "".join(chunk.text for chunk in chunks).lower()
    last = chunks[-1]
    assert last.usage and last.usage.prompt > 8 and 1 <= last.usage.written <= 16
    assert last.finish_reason in ("stop", "length")


async def test_who_cancels_leaves_the_server_idle(endpoint: ChatEndpoint, foreign: LlamaServer) -> None:
    async with aclosing(await ChatCompletionsEngine.open(endpoint, 0.0)) as engine:
        story = ChatPrompt((ChatMessage("user", "Tell me a very long story about the sea."),), "", 1_000)
        async with aclosing(engine.generate("turn", once(story))) as chunks:
            await anext(chunks)
            assert sum(await foreign.api.processing()) == 1
        async with asyncio.timeout(5):
            while sum(await foreign.api.processing()):  # noqa: ASYNC110 - only by asking
                await asyncio.sleep(0.02)


async def test_the_whole_pipeline_answers_aloud_with_it(endpoint: ChatEndpoint, models_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ("-m", "pipeline.cli.main", "serve", "--port", str(port), "--models-dir", str(models_dir))
    named = {"AURA_LLM_URL": endpoint.url, "AURA_LLM_KEY": endpoint.key, "AURA_PIPELINE_KEY": KEY}
    running = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, env={**os.environ, **named})
    url = f"http://127.0.0.1:{port}"
    try:
        async with asyncio.timeout(START_S):
            while not await _ready(url):
                assert running.returncode is None
                await asyncio.sleep(0.1)
            sound, words = 0, ""
            async with connect(url, KEY) as pipeline:
                content = [{"type": "input_text", "text": "Say hello to me."}]
                question = {"type": "message", "role": "user", "content": content}
                await pipeline.send({"type": "conversation.item.create", "item": question})
                await pipeline.send({"type": "response.create", "response": {"max_output_tokens": 40}})
                async for event in pipeline:
                    words += event["delta"] if event["type"] == "response.output_audio_transcript.delta" else ""
                    sound += len(event["delta"]) if event["type"] == "response.output_audio.delta" else 0
                    if event["type"] == "response.done":
                        break
        assert event["response"]["status"] in ("completed", "incomplete")
        assert words.strip() and sound > 10_000
    finally:
        running.terminate()
        await running.wait()


async def _ready(url: str) -> bool:
    try:
        return (await readiness(url)).ready
    except Unreachable:
        return False
