"""Answers with the language model of an OpenAI-compatible server: llama.cpp, Ollama, vLLM, or a hosted one."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import openai

from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.engines.chat_completions.tools import CallDeltas, as_wire, tool_settings
from pipeline.engines.silent_answer import unless_silent, without_thought
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import ChatMessage, ChatPrompt, FinishReason, TextChunk, TokenUsage
from pipeline.types.function_tools import WrittenCall

if TYPE_CHECKING:
    from openai.types import CompletionUsage

STAGE = "aura"
CONNECT_S = 5.0
SILENCE_S = 30.0  # between two pieces of an answer, the first of a model that is still being loaded included
NO_KEY = "none"  # what a server is shown that asks for no key
GOES_AHEAD = ChatMessage("user", "(The call begins.)")  # many templates want the person to speak first


class ChatCompletionsEngine:
    """`Engine[ChatPrompt, TextChunk]`. An answer is one streamed request; closing it hangs up, which servers take
    for an abort.

    Prompts that are only to be prefilled are passed over: whether a server keeps what it has read is its own affair.

    Attributes:
        model: Its name at the server.
    """

    calls_functions = True  # whether a server's model can, it says when it is asked

    def __init__(self, client: openai.AsyncOpenAI, url: str, model: str, temperature: float) -> None:
        self._client, self._url, self.model, self._temperature = client, url, model, temperature
        self._at_work = 0

    @classmethod
    async def open(cls, endpoint: ChatEndpoint, temperature: float) -> Self:
        """Asks the server for its models.

        Raises:
            ConfigError: The server cannot be used, or has no such model.
        """
        if not endpoint.url:
            raise ConfigError("environment", ["AURA_LLM_URL is not set: it says which server answers"])
        client = openai.AsyncOpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.url,
            max_retries=0,
            timeout=openai.Timeout(SILENCE_S, connect=CONNECT_S),
        )
        try:
            return cls(client, endpoint.url, await _model(client, endpoint), temperature)
        except BaseException:
            await client.close()
            raise

    async def generate(
        self, request_id: str, prompts: AsyncIterator[ChatPrompt]
    ) -> AsyncGenerator[TextChunk | WrittenCall, None]:
        """Answers each prompt in words, and then in calls.

        Raises:
            EngineError: The server refuses, fails, or is silent for too long.
        """
        async for chat in prompts:
            if not chat.max_tokens:
                continue
            answer = _Answer()
            self._at_work += 1
            try:
                async with aclosing(unless_silent(without_thought(self._written(chat, answer)))) as pieces:
                    async for text in pieces:
                        yield TextChunk(text, answer.usage)
                for call in answer.calls.written():
                    yield call
                yield TextChunk("", answer.usage, answer.finish_reason)
            except (openai.OpenAIError, ValueError) as error:  # a stream that is no JSON is a plain ValueError
                raise EngineError(STAGE, _reason(error, self._url, self.model)) from error
            finally:
                self._at_work -= 1

    async def busy(self) -> int:
        """Counts the requests that are open: a server of somebody else's does not say what it computes."""
        return self._at_work

    async def aclose(self) -> None:
        await self._client.close()

    async def _written(self, chat: ChatPrompt, answer: "_Answer") -> AsyncGenerator[str, None]:
        """What the model writes; its reasoning, where a server tells it apart, is left out."""
        stream = await self._client.chat.completions.create(
            model=self.model,
            messages=in_turns(chat.messages),
            max_tokens=chat.max_tokens,
            temperature=self._temperature,
            stream=True,
            stream_options={"include_usage": True},
            **tool_settings(chat.tools),
        )
        async with stream:
            async for chunk in stream:
                if chunk.usage:
                    answer.usage = _usage(chunk.usage)
                for choice in chunk.choices[:1]:
                    if choice.finish_reason:
                        answer.finish_reason = "length" if choice.finish_reason == "length" else "stop"
                    for call in choice.delta.tool_calls or ():
                        answer.calls.feed(call)
                    if choice.delta.content:
                        yield choice.delta.content


@dataclass(slots=True)
class _Answer:
    """What the server says of an answer beside its words."""

    usage: TokenUsage | None = None
    finish_reason: FinishReason | None = None
    calls: CallDeltas = field(default_factory=CallDeltas)


def in_turns(messages: tuple[ChatMessage, ...]) -> list[Any]:
    """The messages as every chat template takes them: instructions in one, then the person and the model in turn.

    What one side has said in several messages becomes one, with line ends between.
    """
    merged: list[ChatMessage] = []
    for each in messages:
        if len(merged) == 1 and merged[0].role == "system" and each.role == "assistant":
            merged.append(GOES_AHEAD)
        if merged and merged[-1].role == each.role and not (merged[-1].calls or merged[-1].call_id or each.call_id):
            text = f"{merged[-1].text}\n{each.text}" if each.text else merged[-1].text
            merged[-1] = replace(each, text=text)
        else:
            merged.append(each)
    return [as_wire(each) for each in merged]


async def _model(client: openai.AsyncOpenAI, endpoint: ChatEndpoint) -> str:
    """The name to ask for."""
    try:
        known = [model.id async for model in client.models.list()]
    except openai.NotFoundError as error:  # some servers have no list
        if endpoint.model:
            return endpoint.model
        fault = f"AURA_LLM_MODEL is not set, and {endpoint.url} lists no models"
        raise ConfigError("environment", [fault]) from error
    except openai.OpenAIError as error:
        raise ConfigError("environment", [f"AURA_LLM_URL: {_reason(error, endpoint.url, endpoint.model)}"]) from error
    if endpoint.model in known or (not endpoint.model and len(known) == 1):
        return endpoint.model or known[0]
    there = ", ".join(sorted(known)[:20]) or "none"
    why = f"`{endpoint.model}` is not there" if endpoint.model else "is not set"
    raise ConfigError("environment", [f"AURA_LLM_MODEL: {why}; {endpoint.url} has {there}"])


def _reason(error: Exception, url: str, model: str) -> str:
    """What is wrong, in words for whoever runs the pipeline."""
    match error:
        case openai.APITimeoutError():
            return f"the language model at {url} does not answer in time"
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return f"{url} does not accept the key (AURA_LLM_KEY)"
        case openai.NotFoundError():
            return f"{url} does not know `{model}` (AURA_LLM_MODEL), or is no such API"
        case openai.RateLimitError():
            return f"{url} takes no more requests just now"
        case openai.APIStatusError():
            return f"{url} refused the prompt (status {error.status_code})"
        case openai.APIConnectionError():
            return f"{url} cannot be reached, or has broken off"
        case _:
            return f"the language model at {url} failed ({type(error).__name__})"


def _usage(usage: "CompletionUsage") -> TokenUsage:
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens if details else None) or 0
    return TokenUsage(usage.prompt_tokens, cached=cached, written=usage.completion_tokens)
