"""A language model behind OpenAI's chat completions, against a server that does what the test says."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.engines.chat_completions.engine import ChatCompletionsEngine, in_turns
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk, TokenUsage
from pipeline.types.function_tools import FunctionCall, FunctionTool, ToolOptions, WrittenCall

QUESTION = ChatPrompt((ChatMessage("system", "Be kind."), ChatMessage("user", "Hello?")), "salt", 50)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time: there are sockets."""
    return "asyncio", {}


@dataclass
class ChatServer:
    """Answers with `lines` of its stream, or with `status`.

    Attributes:
        asked: The requests that came, as JSON.
        stays_open: The stream does not end by itself.
        gone: Somebody hung up in an answer.
    """

    models: Sequence[str] | None = ("small",)
    lines: Sequence[str] = ()
    status: int = 200
    stays_open: bool = False
    breaks_off: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def list_models(self, request: web.Request) -> web.Response:
        self.keys.append(request.headers.get("Authorization", ""))
        if self.models is None:
            return web.json_response({"error": {"message": "no list"}}, status=404)
        return web.json_response({"object": "list", "data": [{"id": each, "object": "model"} for each in self.models]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        if self.status != 200:
            return web.json_response({"error": {"message": "no"}}, status=self.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for line in self.lines:
                await response.write(f"data: {line}\n\n".encode())
            if self.breaks_off and request.transport:
                request.transport.abort()
            while self.stays_open:
                await asyncio.sleep(0.01)
                await response.write(b": still here\n\n")
        except (ConnectionError, asyncio.CancelledError):
            self.gone.set()
            raise
        return response


def said(text: str | None = None, *, finish: str | None = None, **delta: Any) -> str:
    return json.dumps(
        {"id": "1", "choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}]}
    )


def counted(prompt: int, written: int, cached: int) -> str:
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
    return json.dumps(
        {"id": "1", "choices": [], "usage": {**usage, "prompt_tokens_details": {"cached_tokens": cached}}}
    )


@asynccontextmanager
async def served(server: ChatServer) -> AsyncGenerator[str]:
    app = web.Application()
    app.add_routes([web.get("/v1/models", server.list_models), web.post("/v1/chat/completions", server.complete)])
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def opened(server: ChatServer, model: str = "", key: str = "") -> AsyncGenerator[ChatCompletionsEngine]:
    async with (
        served(server) as url,
        aclosing(await ChatCompletionsEngine.open(ChatEndpoint(url, model, key), 0.5)) as engine,
    ):
        yield engine


async def once(*prompts: ChatPrompt) -> AsyncIterator[ChatPrompt]:
    for prompt in prompts:
        yield prompt


async def answered(engine: ChatCompletionsEngine, *prompts: ChatPrompt) -> list[TextChunk]:
    chunks = [chunk async for chunk in engine.generate("turn", once(*(prompts or (QUESTION,))))]
    words = [chunk for chunk in chunks if isinstance(chunk, TextChunk)]
    assert words == chunks, "nothing is called"
    return words


async def test_an_answer_comes_as_it_is_written() -> None:
    server = ChatServer(
        lines=[said(role="assistant"), said("Good"), said(" day."), said(finish="stop"), counted(9, 3, 4), "[DONE]"]
    )
    async with opened(server, key="secret") as engine:
        chunks = await answered(engine)
        assert [chunk.text for chunk in chunks] == ["Good", " day.", ""]
        assert chunks[-1].usage == TokenUsage(prompt=9, cached=4, written=3)
        assert chunks[-1].finish_reason == "stop"
        assert await engine.busy() == 0
    asked = server.asked[0]
    assert (asked["model"], asked["max_tokens"], asked["temperature"], asked["stream"]) == ("small", 50, 0.5, True)
    assert asked["messages"] == [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello?"}]
    assert server.keys == ["Bearer secret"]


async def test_an_answer_that_was_cut_says_so() -> None:
    async with opened(ChatServer(lines=[said("And"), said(finish="length"), "[DONE]"])) as engine:
        assert (await answered(engine))[-1].finish_reason == "length"


@pytest.mark.parametrize(
    "lines",
    [
        [said("<|sil"), said("ent|>")],
        [said("<think>They thank me.</think>"), said("<|silent|>")],
        [said(None, reasoning_content="They thank me."), said("<|silent|>")],
    ],
)
async def test_silence_is_no_word_and_thoughts_are_none(lines: list[str]) -> None:
    async with opened(ChatServer(lines=[*lines, said(finish="stop"), "[DONE]"])) as engine:
        assert [chunk.text for chunk in await answered(engine)] == [""]


async def test_what_is_only_to_be_prefilled_is_not_asked() -> None:
    server = ChatServer()
    async with opened(server) as engine:
        assert await answered(engine, ChatPrompt(QUESTION.messages, "salt", 0)) == []
    assert not server.asked


async def test_who_cancels_hangs_up() -> None:
    server = ChatServer(lines=[said("One, two")], stays_open=True)
    async with opened(server) as engine:
        async with aclosing(engine.generate("turn", once(QUESTION))) as chunks:
            assert await anext(chunks) == TextChunk("One, two")
            assert await engine.busy() == 1
        assert await engine.busy() == 0
        async with asyncio.timeout(5):
            await server.gone.wait()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "does not accept the key (AURA_LLM_KEY)"),
        (403, "does not accept the key (AURA_LLM_KEY)"),
        (404, "does not know `small` (AURA_LLM_MODEL), or is no such API"),
        (429, "takes no more requests just now"),
        (400, "refused the prompt (status 400)"),
        (500, "refused the prompt (status 500)"),
    ],
)
async def test_what_a_server_refuses_fails_the_turn_in_words(status: int, words: str) -> None:
    server = ChatServer(status=status)
    async with opened(server) as engine:
        with pytest.raises(EngineError) as error:
            await answered(engine)
        assert str(error.value).startswith("aura: http://127.0.0.1:") and str(error.value).endswith(words)
        server.status, server.lines = 200, [said("Again."), said(finish="stop"), "[DONE]"]
        assert (await answered(engine))[0].text == "Again.", "the next turn is served"


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (ChatServer(lines=[said("One"), '{"error": {"message": "out of memory"}}'], stays_open=True), "failed"),
        (ChatServer(lines=[said("One"), "{not json"]), "failed"),
        (ChatServer(lines=[said("One")], breaks_off=True), "has broken off"),
    ],
    ids=["error", "no JSON", "broken off"],
)
async def test_a_stream_that_fails_is_the_engines_failure(server: ChatServer, words: str) -> None:
    async with opened(server) as engine:
        with pytest.raises(EngineError, match=f"aura: .*{words}"):
            await answered(engine)
        assert await engine.busy() == 0


async def test_a_server_that_has_gone_is_named() -> None:
    async with served(ChatServer()) as url:
        engine = await ChatCompletionsEngine.open(ChatEndpoint(url), 0.5)
    async with aclosing(engine):
        with pytest.raises(EngineError, match=f"{url} cannot be reached"):
            await answered(engine)


@pytest.mark.parametrize(
    ("models", "model", "fault"),
    [
        (("a", "b"), "", "AURA_LLM_MODEL: is not set; http://127.0.0.1:"),
        (("a", "b"), "c", "AURA_LLM_MODEL: `c` is not there; http://127.0.0.1:"),
        ((), "", "has none"),
        (None, "", "AURA_LLM_MODEL is not set, and http://127.0.0.1:"),
    ],
)
async def test_a_model_that_is_not_there_is_named_at_the_start(
    models: Sequence[str] | None, model: str, fault: str
) -> None:
    with pytest.raises(ConfigError) as error:
        async with opened(ChatServer(models=models), model):
            """It is not opened."""
    assert fault in str(error.value)


async def test_a_server_without_a_list_has_the_model_that_is_named() -> None:
    async with opened(ChatServer(models=None), "mine") as engine:
        assert engine.model == "mine"


async def test_nobody_answers_at_the_start() -> None:
    with pytest.raises(ConfigError, match=r"AURA_LLM_URL: http://127\.0\.0\.1:9/v1 cannot be reached"):
        await ChatCompletionsEngine.open(ChatEndpoint("http://127.0.0.1:9/v1"), 0.5)


def test_messages_are_put_in_turns() -> None:
    roles = [("system", "s"), ("assistant", "Hello."), ("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d")]
    messages = tuple(ChatMessage(role, text) for role, text in roles)  # type: ignore[arg-type]
    assert [(each["role"], each["content"]) for each in in_turns(messages)] == [
        ("system", "s"),
        ("user", "(The call begins.)"),
        ("assistant", "Hello."),
        ("user", "a\nb"),
        ("assistant", "c"),
        ("user", "d"),
    ]


@pytest.mark.parametrize(
    ("environment", "fault"),
    [
        ({"AURA_LLM_URL": "localhost:8000"}, "AURA_LLM_URL is no address such as http://"),
        ({"AURA_LLM_URL": "http://localhost:8000v1"}, "AURA_LLM_URL is no address such as http://"),
        ({"AURA_LLM_URL": "http:///v1"}, "AURA_LLM_URL is no address such as http://"),
        ({"AURA_LLM_KEY": "secret"}, "AURA_LLM_URL is not set"),
        ({"AURA_LLM_MODEL": "small"}, "AURA_LLM_URL is not set"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused_by_name(environment: dict[str, str], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        ChatEndpoint.of(environment)


def test_a_key_is_never_shown() -> None:
    endpoint = ChatEndpoint.of({"AURA_LLM_URL": "https://host/v1/", "AURA_LLM_MODEL": "m", "AURA_LLM_KEY": "secret"})
    assert endpoint.url == "https://host/v1" and endpoint.key == "secret"
    assert "secret" not in repr(endpoint)


TOOLS = ToolOptions((FunctionTool("look", "Looks."),), "required", "look", parallel=False)
LOOK = FunctionCall("1", "look", '{"at": 1}')


async def test_functions_are_offered_as_the_api_has_them_and_calls_put_together() -> None:
    pieces = [
        {"index": 0, "id": "x", "type": "function", "function": {"name": "look", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"a'}},
        {"index": 1, "id": "y", "type": "function", "function": {"name": "go"}},
        {"index": 0, "function": {"arguments": 't": 1}'}},
    ]
    lines = [json.dumps({"id": "1", "choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}) for piece in pieces]
    server = ChatServer(lines=[said("Wait."), *lines, said(finish="tool_calls"), "[DONE]"])
    before = (ChatMessage("assistant", "", (LOOK,)), ChatMessage("user", "a cat", call_id="1"))
    asked = replace(QUESTION, messages=(*QUESTION.messages, *before, ChatMessage("user", "And?")), tools=TOOLS)
    async with opened(server) as engine:
        words, *calls, last = [chunk async for chunk in engine.generate("turn", once(asked))]
    assert words == TextChunk("Wait.")
    assert calls == [WrittenCall("look", '{"at": 1}', '{"at": 1}'), WrittenCall("go", "{}", "{}")]
    assert isinstance(last, TextChunk) and last.finish_reason == "stop"
    (request,) = server.asked
    function = {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {}}}
    assert request["tools"] == [{"type": "function", "function": function}]
    assert request["tool_choice"] == {"type": "function", "function": {"name": "look"}}
    assert request["parallel_tool_calls"] is False
    called = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
    assert request["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "1", "content": "a cat"},
        {"role": "user", "content": "And?"},
    ]


async def test_a_server_is_told_nothing_of_functions_where_there_are_none() -> None:
    server = ChatServer(lines=[said("Hello."), "[DONE]"])
    async with opened(server) as engine:
        await answered(engine, QUESTION)
    assert server.asked[0].keys().isdisjoint({"tools", "tool_choice", "parallel_tool_calls"})
