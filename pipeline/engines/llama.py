"""A chat language model on a CPU: llama.cpp, in a process of its own so that no decode ever holds the event loop."""

import asyncio
import json
import logging
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, Self

import aiohttp

from pipeline.chunks import Chat, Text
from pipeline.engines.files import model_folder
from pipeline.engines.slots import Slots
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STAGE = "aura"
FILES = ("model.gguf",)
SILENT = "<|silent|>"
BATCH = 64  # tokens of prefill between two looks at whether to stop
OPEN_S = 90.0
POLL_S = 0.005
STOP_S = 5.0


class Llama:
    """`Engine[Chat, Text]`. Each `cache_salt` keeps a slot, and with it its prefix cache, while there are slots."""

    def __init__(self, process: Process, http: aiohttp.ClientSession, slots: int) -> None:
        self._process = process
        self._http = http
        self._slots = Slots(slots)

    @classmethod
    async def open(cls, models_dir: Path, *, model: str, fallback: str, threads: int, context: int, slots: int) -> Self:
        """
        Args:
            context: Tokens of one slot: prompt and answer together.

        Raises:
            ConfigError: No model is complete, or it cannot be loaded.
        """
        folder = model_folder(models_dir, (model, fallback), FILES)
        key = secrets.token_hex(16)
        settings = {
            "model": str(folder / FILES[0]),
            "slots": slots,
            "context": context,
            "batch": BATCH,
            "threads": threads,
            "key": key,
        }
        argv = (sys.executable, "-m", "pipeline.engines.llama_child")
        process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE)
        try:
            address = await _started(process, settings)
        except BaseException:
            process.kill()
            await process.wait()
            raise
        http = aiohttp.ClientSession(
            address,
            headers={"Authorization": f"Bearer {key}"},
            connector=aiohttp.TCPConnector(force_close=True),
            timeout=aiohttp.ClientTimeout(total=None, connect=STOP_S),
        )
        return cls(process, http, slots)

    async def generate(self, request_id: str, prompts: AsyncIterator[Chat]) -> AsyncGenerator[Text, None]:
        async for chat in prompts:
            async with self._slots.of(chat.cache_salt) as slot:
                try:
                    async with aclosing(_unless_silent(self._written(request_id, chat, slot))) as pieces:
                        async for text in pieces:
                            yield Text(text)
                except aiohttp.ClientError as error:
                    raise EngineError(STAGE, f"the language model does not answer ({type(error).__name__})") from error

    async def busy(self) -> int:
        return sum(await self._processing())

    async def aclose(self) -> None:
        await self._http.close()
        if self._process.stdin:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _written(self, request_id: str, chat: Chat, slot: int) -> AsyncGenerator[str, None]:
        """The answer in pieces; however it ends, the slot is idle afterwards."""
        body = {
            "messages": [{"role": message.role, "content": message.text} for message in chat.messages],
            "max_tokens": chat.max_tokens,
            "temperature": chat.temperature,
            "stream": True,
            "id_slot": slot,
            "cache_prompt": True,
        }
        ended = False
        try:
            headers = {"X-Conversation-Id": request_id}
            async with self._http.post("/v1/chat/completions", json=body, headers=headers) as response:
                if response.status != 200:
                    ended = True
                    raise EngineError(STAGE, _complaint(await response.text()))
                async for line in response.content:
                    if piece := _piece(line):
                        yield piece
            ended = True
        finally:
            if not ended:
                await self._abort(request_id, slot)

    async def _abort(self, request_id: str, slot: int) -> None:
        """Returns when the engine says that the slot is idle (a closed connection alone does not stop it)."""
        with suppress(aiohttp.ClientError, TimeoutError):
            async with asyncio.timeout(STOP_S):
                async with self._http.delete("/v1/stream", params={"conv_id": request_id}):
                    pass
                while (await self._processing())[slot]:
                    await asyncio.sleep(POLL_S)  # noqa: ASYNC110 - another process: there is nothing to wait on

    async def _processing(self) -> list[bool]:
        async with self._http.get("/slots") as response:
            return [slot["is_processing"] for slot in await response.json()]


async def _started(process: Process, settings: dict[str, Any]) -> str:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(settings).encode() + b"\n")
    try:
        async with asyncio.timeout(OPEN_S):
            line = await process.stdout.readline()
    except TimeoutError as error:
        raise ConfigError(settings["model"], [f"was not loaded within {OPEN_S:.0f} s"]) from error
    if not line:
        raise ConfigError(settings["model"], ["the language model cannot be loaded (is the file whole?)"])
    return str(json.loads(line)["address"])


async def _unless_silent(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The pieces, but nothing if they begin with `<|silent|>`: held back while that is still possible."""
    held: str | None = ""
    async with aclosing(pieces):
        async for piece in pieces:
            if held is None:
                yield piece
                continue
            held += piece
            if held.lstrip().startswith(SILENT):
                return
            if not SILENT.startswith(held.lstrip()):
                yield held.lstrip()
                held = None
    if held and held.strip():
        yield held.lstrip()


def _piece(line: bytes) -> str:
    """The text of one line of the event stream.

    Raises:
        EngineError: The line says that the engine failed.
    """
    if line.startswith(b"error: "):
        raise EngineError(STAGE, _complaint(line[7:].decode()))
    if not line.startswith(b"data: {"):
        return ""
    data = json.loads(line[6:])
    if "error" in data:
        raise EngineError(STAGE, _complaint(json.dumps(data)))
    choices = data.get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


def _complaint(body: str) -> str:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return "the language model refused the prompt"
