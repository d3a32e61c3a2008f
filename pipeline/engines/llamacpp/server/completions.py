"""Completions of llama.cpp's server: tokens that are written after a prompt in one of its slots."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

import aiohttp

from pipeline.engines.llamacpp.server.api import ServerApi
from pipeline.engines.llamacpp.server.prompt_refused import PromptRefused


@dataclass(frozen=True, slots=True)
class CompletionStep:
    """What was written in one step.

    Attributes:
        tokens: One, or none if the answer has ended.
        text: Empty if the token is only a part of a character.
        computed: Tokens of the prompt that were not in the slot's cache.
    """

    tokens: list[int]
    text: str
    ended: bool
    computed: int


@dataclass(frozen=True, slots=True)
class SlotCompletions:
    """Writes in slots; whoever stops a completion waits until its slot is idle.

    Every method raises `PromptRefused` if the server cannot serve the prompt, and `aiohttp.ClientError` once the server
    is gone.
    """

    api: ServerApi

    async def step(self, slot: int, tokens: Sequence[int], temperature: float = 0.0) -> CompletionStep:
        """Prefill what the slot's cache lacks of `tokens`, and write the token after them.

        Who is cancelled meanwhile waits until it is done: when this has returned, the slot is idle.
        """
        fields = ["content", "tokens", "stop_type", "timings/prompt_n"]
        body = {**_body(slot, tokens, temperature, 1), "return_tokens": True, "response_fields": fields}
        async with asyncio.TaskGroup() as tasks:
            posting = tasks.create_task(self._posted(body), name="llama:step")
            try:
                answer = await asyncio.shield(posting)
            except asyncio.CancelledError:
                await asyncio.wait([posting])
                raise
        if isinstance(answer, Exception):
            raise answer
        return CompletionStep(
            answer["tokens"], answer["content"], answer["stop_type"] == "eos", answer["timings/prompt_n"]
        )

    async def steps(
        self, slot: int, tokens: Sequence[int], temperature: float, most: int
    ) -> AsyncGenerator[CompletionStep, None]:
        """Write up to so many tokens after `tokens`, which the slot holds, in one request: what several slots write
        meanwhile is computed together.

        It ends early before a character of several tokens: the server does not tell them all. Closing returns when the
        slot is idle, which takes up to two steps: the server notices it at the next token, and by then computes
        another one.
        """
        body = {
            **_body(slot, tokens, temperature, most),
            "return_tokens": True,
            "stream": True,
            "response_fields": ["stop", "stop_type"],
        }
        count = 0
        async with aclosing(self._streamed(slot, body)) as events:
            async for event in events:
                count += 1
                if event["stop"]:
                    if event["stop_type"] == "eos":
                        yield CompletionStep([], "", True, 0)
                elif event["tokens_predicted"] == count:
                    yield CompletionStep(event["tokens"], event["content"], False, 0)
                else:
                    return

    async def constrained(
        self, slot: int, tokens: Sequence[int], temperature: float, most: int, schema: Mapping[str, Any]
    ) -> AsyncGenerator[CompletionStep, None]:
        """Write a JSON value of a schema after `tokens`, in one request: the grammar's state is lost between two.

        Its steps have no tokens; the last one is empty, and says whether the value is complete. Closing as in `steps`.
        A schema of which no grammar can be made is refused, too.
        """
        body = {
            **_body(slot, tokens, temperature, most),
            "stream": True,
            "json_schema": schema,
            "response_fields": ["content", "stop", "stop_type"],
        }
        async with aclosing(self._streamed(slot, body)) as events:
            async for event in events:
                if text := event["content"]:
                    yield CompletionStep([], text, False, 0)
                if event["stop"]:
                    yield CompletionStep([], "", event["stop_type"] != "limit", 0)

    async def _streamed(self, slot: int, body: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """The events of a completion; closing returns when the slot is idle."""
        is_idle = False
        try:
            async with aclosing(self.api.events("/completion", body)) as events:
                async for event in events:
                    is_idle = event["stop"]
                    yield event
        except PromptRefused:
            is_idle = True  # it has not begun
            raise
        finally:
            if not is_idle:
                await self._until_idle(slot)

    async def _until_idle(self, slot: int) -> None:
        with suppress(aiohttp.ClientError):  # a server that is gone does nothing
            while (await self.api.processing())[slot]:
                """The server answers between two steps."""

    async def _posted(self, body: Mapping[str, Any]) -> Any:
        """The answer, or why there is none."""
        try:
            return await self.api.post("/completion", body)
        except (PromptRefused, aiohttp.ClientError) as error:
            return error


def _body(slot: int, tokens: Sequence[int], temperature: float, most: int) -> dict[str, Any]:
    return {
        "prompt": list(tokens),
        "n_predict": most,
        "temperature": temperature,
        "id_slot": slot,
        "cache_prompt": True,
    }
