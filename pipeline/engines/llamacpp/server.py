"""llama.cpp's own server as a child process, and what is asked of it over loopback."""

import asyncio
import json
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import aiohttp

from pipeline.engines.llamacpp.text import PromptRefused, complaint
from pipeline.errors import ConfigError
from pipeline.models.shared.control_tokens import ControlTokens, written_by_template
from pipeline.types.chunks import ChatMessage

OPEN_S = 90.0
STOP_S = 5.0
MORE = "\x1e"  # a mark that nobody says, where an unfinished message goes on
EVENT = b"data: "
LIKE_NO_OTHER = (
    ChatMessage("system", "a\x1e0z"),
    ChatMessage("user", "a\x1e1z"),
    ChatMessage("assistant", "a\x1e2z"),
    ChatMessage("user", "a\x1e3z"),
)


@dataclass(frozen=True, slots=True)
class LlamaServerSettings:
    """Says how the child runs llama.cpp's server.

    Attributes:
        model: Path of the GGUF file.
        saved: Path of the folder for states of slots.
        context: Tokens of one slot: prompt and answer together.
        batch: Tokens of a prompt that are computed at once.
        reused: Fewest tokens in a row that, where they have moved in a prompt, are moved in the cache too.
        threads: CPU threads that decode.
        prompt_threads: CPU threads that prefill.
    """

    model: str
    saved: str
    slots: int
    context: int
    batch: int
    reused: int
    threads: int
    prompt_threads: int


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
class LlamaServer:
    """A process of its own, so that no decode ever holds the event loop and no crash ends the pipeline."""

    process: Process
    http: aiohttp.ClientSession

    @classmethod
    async def start(cls, settings: LlamaServerSettings) -> Self:
        """Starts the child with a key of its own, and returns when it listens and the model is loaded.

        Raises:
            ConfigError: The model cannot be loaded.
        """
        key = secrets.token_hex(16)
        argv = (sys.executable, "-m", "pipeline.engines.llamacpp.child")
        process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE)
        try:
            address = await _address(process, {**asdict(settings), "key": key})
        except BaseException:
            await _killed(process)
            raise
        http = aiohttp.ClientSession(
            address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=aiohttp.ClientTimeout(total=None, connect=STOP_S),
        )
        return cls(process, http)

    async def aclose(self) -> None:
        await self.http.close()
        if self.process.stdin:
            self.process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self.process.wait()
        except TimeoutError:
            await _killed(self.process)

    async def tokens(self, messages: tuple[ChatMessage, ...], *, unfinished: bool = False) -> list[int]:
        """The prompt that the model's own chat template makes of them.

        Args:
            unfinished: The last message goes on: the prompt ends inside it, where more words cannot change it.

        Raises:
            Refused: The server cannot make one.
            aiohttp.ClientError: The server is gone.
        """
        if unfinished:
            messages = (*messages[:-1], replace(messages[-1], text=messages[-1].text + MORE))
        text = await self._rendered(messages)
        text = text.partition(MORE)[0] if unfinished else text
        tokens = await self.raw_tokens(text)
        return tokens[:-1] if unfinished else tokens

    async def raw_tokens(self, text: str) -> list[int]:
        """Asks for the tokens of a text in which names of control tokens stand for these.

        Raises:
            aiohttp.ClientError: The server is gone.
        """
        answer = await self._post("/tokenize", {"content": text, "add_special": True, "parse_special": True})
        return list(answer["tokens"])

    async def control_tokens(self, vocabulary: Sequence[str]) -> ControlTokens:
        """What has power over its prompts: control tokens of the vocabulary, and what its chat template writes.

        Raises:
            Refused: The template cannot write messages.
            aiohttp.ClientError: The server is gone.
        """
        known = ControlTokens(vocabulary)
        marks = written_by_template(await self._rendered(LIKE_NO_OTHER), [each.text for each in LIKE_NO_OTHER], known)
        return ControlTokens((*vocabulary, *marks))

    async def text(self, tokens: Sequence[int]) -> str:
        """Asks the server which text the tokens spell.

        Raises:
            aiohttp.ClientError: The server is gone.
        """
        written = await self._post("/detokenize", {"tokens": list(tokens)})
        return str(written["content"])

    async def step(self, slot: int, tokens: Sequence[int], temperature: float = 0.0) -> CompletionStep:
        """Prefill what the slot's cache lacks of `tokens`, and write the token after them.

        Who is cancelled meanwhile waits until it is done: when this has returned, the slot is idle.

        Raises:
            Refused: The server cannot serve the prompt.
            aiohttp.ClientError: The server is gone.
        """
        body = {
            "prompt": list(tokens),
            "n_predict": 1,
            "temperature": temperature,
            "id_slot": slot,
            "cache_prompt": True,
            "return_tokens": True,
            "response_fields": ["content", "tokens", "stop_type", "timings/prompt_n"],
        }
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

        Raises:
            Refused: The server cannot serve the prompt.
            aiohttp.ClientError: The server is gone.
        """
        body = {
            "prompt": list(tokens),
            "n_predict": most,
            "temperature": temperature,
            "id_slot": slot,
            "cache_prompt": True,
            "return_tokens": True,
            "stream": True,
            "response_fields": ["stop", "stop_type"],
        }
        ended = False
        try:
            async with self.http.post("/completion", json=body, headers={"Connection": "close"}) as response:
                if response.status != 200:
                    raise PromptRefused(complaint(await response.text()))
                count = 0
                async for line in response.content:
                    if not line.startswith(EVENT):
                        continue
                    said = json.loads(line.removeprefix(EVENT))
                    count += 1
                    if ended := said["stop"]:
                        if said["stop_type"] == "eos":
                            yield CompletionStep([], "", True, 0)
                    elif said["tokens_predicted"] == count:
                        yield CompletionStep(said["tokens"], said["content"], False, 0)
                    else:
                        return
        finally:
            if not ended:
                await self._until_idle(slot)

    async def constrained(
        self, slot: int, tokens: Sequence[int], temperature: float, most: int, schema: Mapping[str, Any]
    ) -> AsyncGenerator[CompletionStep, None]:
        """Write a JSON value of a schema after `tokens`, in one request: the grammar's state is lost between two.

        Its steps have no tokens; the last one is empty, and says whether the value is complete. Closing as in `steps`.

        Raises:
            Refused: The server cannot serve the prompt, or no grammar can be made of the schema.
            aiohttp.ClientError: The server is gone.
        """
        body = {
            "prompt": list(tokens),
            "n_predict": most,
            "temperature": temperature,
            "id_slot": slot,
            "cache_prompt": True,
            "stream": True,
            "json_schema": schema,
            "response_fields": ["content", "stop", "stop_type"],
        }
        ended = False
        try:
            async with self.http.post("/completion", json=body, headers={"Connection": "close"}) as response:
                if response.status != 200:
                    ended = True
                    raise PromptRefused(complaint(await response.text()))
                async for line in response.content:
                    if not line.startswith(EVENT):
                        continue
                    said = json.loads(line.removeprefix(EVENT))
                    if text := said["content"]:
                        yield CompletionStep([], text, False, 0)
                    if ended := said["stop"]:
                        yield CompletionStep([], "", said["stop_type"] != "limit", 0)
        finally:
            if not ended:
                await self._until_idle(slot)

    async def _until_idle(self, slot: int) -> None:
        with suppress(aiohttp.ClientError):  # a server that is gone does nothing
            while (await self.processing())[slot]:
                """The server answers between two steps."""

    async def processing(self) -> list[bool]:
        """Asks for each slot whether it computes now."""
        async with self.http.get("/slots") as response:
            return [slot["is_processing"] for slot in await response.json()]

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool:
        """`save` a slot's state to a file, `restore` it from there, or `erase` it; False if that failed."""
        body = {"filename": file} if file else {}
        async with self.http.post(f"/slots/{slot}", params={"action": action}, json=body) as response:
            return response.status == 200

    async def _rendered(self, messages: tuple[ChatMessage, ...]) -> str:
        written = [{"role": message.role, "content": message.text} for message in messages]
        return str((await self._post("/apply-template", {"messages": written}))["prompt"])

    async def _posted(self, body: Mapping[str, Any]) -> Any:
        """The answer, or why there is none."""
        try:
            return await self._post("/completion", body)
        except (PromptRefused, aiohttp.ClientError) as error:
            return error

    async def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        async with self.http.post(path, json=body) as response:
            if response.status != 200:
                raise PromptRefused(complaint(await response.text()))
            return await response.json()


async def _address(process: Process, settings: Mapping[str, Any]) -> str:
    assert process.stdin and process.stdout
    try:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        async with asyncio.timeout(OPEN_S):
            line = await process.stdout.readline()
    except TimeoutError as error:
        raise ConfigError(settings["model"], [f"was not loaded within {OPEN_S:.0f} s"]) from error
    answer = json.loads(line or '{"error": "its process ended"}')
    if "error" in answer:
        raise ConfigError(settings["model"], [f"cannot be loaded: {answer['error']}"])
    return str(answer["address"])


async def _killed(process: Process) -> None:
    with suppress(ProcessLookupError):  # it has ended already
        process.kill()
    await process.wait()
