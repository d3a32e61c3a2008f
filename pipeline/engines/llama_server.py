"""llama.cpp's own server as a child process, and what is asked of it over loopback."""

import asyncio
import json
import logging
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Self

import aiohttp

from pipeline.engines.llama_text import Refused, complaint, piece
from pipeline.errors import ConfigError

log = logging.getLogger(__name__)

OPEN_S = 90.0
STOP_S = 5.0
POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """
    Attributes:
        model: Path of the GGUF file.
        saved: Path of the folder for states of slots.
        context: Tokens of one slot: prompt and answer together.
        batch: Tokens of a prompt that are computed between two looks at whether to stop.
        threads: CPU threads that write.
        prompt_threads: CPU threads that read prompts.
    """

    model: str
    saved: str
    slots: int
    context: int
    batch: int
    threads: int
    prompt_threads: int


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A process of its own, so that no decode ever holds the event loop and no crash ends the pipeline."""

    process: Process
    http: aiohttp.ClientSession

    @classmethod
    async def start(cls, settings: ServerSettings) -> Self:
        """
        Raises:
            ConfigError: The model cannot be loaded.
        """
        key = secrets.token_hex(16)
        argv = (sys.executable, "-m", "pipeline.engines.llama_child")
        process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE)
        try:
            address = await _address(process, {**asdict(settings), "key": key})
        except BaseException:
            await _killed(process)
            raise
        http = aiohttp.ClientSession(
            address,
            headers={"Authorization": f"Bearer {key}"},
            connector=aiohttp.TCPConnector(force_close=True),  # it closes a connection that has carried a stream
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

    async def write(self, request_id: str, slot: int, prompt: Mapping[str, Any]) -> AsyncGenerator[str, None]:
        """The answer in pieces; however it ends, the slot is idle afterwards.

        Raises:
            Refused: The server cannot serve the prompt.
            aiohttp.ClientError: The server is gone.
        """
        # With `return_progress` the server looks up after every batch of the prompt, and not only at the first token.
        body = {**prompt, "stream": True, "return_progress": True, "id_slot": slot, "cache_prompt": True}
        response = await self._begun(request_id, slot, body)
        ended = False
        try:
            if response.status != 200:
                ended = True
                raise Refused(complaint(await response.text()))
            async for line in response.content:
                if text := piece(line):
                    yield text
            ended = True
        finally:
            if not ended:
                await self._abort(request_id, slot)
            response.close()

    async def processing(self) -> list[bool]:
        """Of each slot, whether it computes now."""
        async with self.http.get("/slots") as response:
            return [slot["is_processing"] for slot in await response.json()]

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool:
        """`save` a slot's state to a file, `restore` it from there, or `erase` it; False if that failed."""
        body = {"filename": file} if file else {}
        async with self.http.post(f"/slots/{slot}", params={"action": action}, json=body) as response:
            return response.status == 200

    async def _begun(self, request_id: str, slot: int, body: Mapping[str, Any]) -> aiohttp.ClientResponse:
        """The response. Who is cancelled meanwhile waits for it, a few milliseconds: the server only
        stops what it has begun."""
        headers = {"X-Conversation-Id": request_id}
        async with asyncio.TaskGroup() as tasks:
            posting = tasks.create_task(self._posted(body, headers), name=f"{request_id}:post")
            try:
                response = await asyncio.shield(posting)
            except asyncio.CancelledError:
                await asyncio.wait([posting])
                await self._abort(request_id, slot)
                raise
        if isinstance(response, aiohttp.ClientError):
            raise response
        return response

    async def _posted(
        self, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> aiohttp.ClientResponse | aiohttp.ClientError:
        try:
            return await self.http.post("/v1/chat/completions", json=body, headers=headers)
        except aiohttp.ClientError as error:
            return error

    async def _abort(self, request_id: str, slot: int) -> None:
        """Returns when the server says that the slot is idle. A closed connection alone does not stop a
        request that has a conversation's id; without one it would stop a token later."""
        try:
            async with asyncio.timeout(STOP_S):
                with suppress(aiohttp.ClientError):  # a server that is gone is idle
                    async with self.http.delete("/v1/stream", params={"conv_id": request_id}):
                        pass
                    while (await self.processing())[slot]:  # noqa: ASYNC110 - nothing to wait on in another process
                        await asyncio.sleep(POLL_S)
        except TimeoutError:
            log.error("the language model does not stop", extra={"request": request_id})


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
