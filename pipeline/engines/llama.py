"""A chat language model on a CPU: llama.cpp with a GGUF file, a slot for every caller."""

import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from importlib.metadata import version
from pathlib import Path
from typing import Self

import aiohttp

from pipeline.chunks import Chat, Message, Text
from pipeline.engines.files import model_folder
from pipeline.engines.llama_server import LlamaServer, ServerSettings
from pipeline.engines.llama_text import Refused, as_json, unless_silent
from pipeline.engines.slots import Slot, Slots
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STAGE = "aura"
FILES = ("model.gguf",)
BATCH = 16  # tokens: 0.4 s of a prompt on two cores. More is hardly faster there


class Llama:
    """`Engine[Chat, Text]`. Each `cache_salt` keeps a slot, and with it its prefix cache, while there are slots.

    A slot that changes hands is set back to the preamble, which every caller's prompt begins with, so
    that nothing of one caller is ever found in another's cache.
    """

    def __init__(self, server: LlamaServer, slots: int, preamble: str) -> None:
        """
        Args:
            preamble: Name of the saved state of a slot that has read the preamble and nothing else.
        """
        self._server = server
        self._slots = Slots(slots)
        self._preamble = preamble

    @classmethod
    async def open(
        cls,
        models_dir: Path,
        *,
        model: str,
        fallback: str,
        threads: int,
        prompt_threads: int,
        context: int,
        slots: int,
        preamble: tuple[Message, ...] = (),
    ) -> Self:
        """
        Args:
            threads: CPU threads that write.
            prompt_threads: CPU threads that read prompts.
            context: Tokens of one slot: prompt and answer together.
            preamble: How every prompt begins. It is read once, and then kept in a file beside the models.

        Raises:
            ConfigError: No model is complete, or it cannot be loaded.
            EngineError: The preamble cannot be read.
        """
        file = model_folder(models_dir, (model, fallback), FILES) / FILES[0]
        saved = models_dir / "states"
        try:
            saved.mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigError(str(saved), [f"cannot be made: {error.strerror}"]) from error
        settings = ServerSettings(str(file), str(saved), slots, context, BATCH, threads, prompt_threads)
        server = await LlamaServer.start(settings)
        llama = cls(server, slots, _state_name(file, context, preamble))
        try:
            if preamble and not await server.slot_action(0, "restore", llama._preamble):
                await llama._read_preamble(preamble)
        except BaseException:
            await llama.aclose()
            raise
        return llama

    async def generate(self, request_id: str, prompts: AsyncIterator[Chat]) -> AsyncGenerator[Text, None]:
        async for chat in prompts:
            async with self._slots.of(chat.cache_salt) as slot:
                try:
                    await self._cleared(slot)
                    pieces = unless_silent(self._server.write(request_id, slot.number, _prompt(chat)))
                    async with aclosing(pieces):
                        async for text in pieces:
                            if chat.max_tokens:  # 0 writes one token all the same
                                yield Text(text)
                except Refused as refusal:
                    raise EngineError(STAGE, str(refusal)) from refusal
                except aiohttp.ClientError as error:
                    raise EngineError(STAGE, f"the language model does not answer ({type(error).__name__})") from error

    async def busy(self) -> int:
        if self._server.process.returncode is not None:
            return 0
        return sum(await self._server.processing())

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _cleared(self, slot: Slot) -> None:
        if slot.inherited and not await self._server.slot_action(slot.number, "restore", self._preamble):
            await self._server.slot_action(slot.number, "erase")

    async def _read_preamble(self, preamble: tuple[Message, ...]) -> None:
        log.info("reading the preamble for the first time", extra={"stage": STAGE})
        try:
            async with aclosing(self._server.write("preamble", 0, _prompt(Chat(preamble, "", 0)))) as pieces:
                async for _ in pieces:
                    pass
        except (Refused, aiohttp.ClientError) as error:
            raise EngineError(STAGE, f"the preamble cannot be read: {error}") from error
        if not await self._server.slot_action(0, "save", self._preamble):
            log.warning("the preamble cannot be saved, every caller's first answer takes seconds longer")


def _prompt(chat: Chat) -> dict[str, object]:
    return {"messages": as_json(chat.messages), "max_tokens": chat.max_tokens, "temperature": chat.temperature}


def _state_name(model: Path, context: int, preamble: tuple[Message, ...]) -> str:
    """Changes with everything that the saved state depends on."""
    parts = (str(model.parent.name), model.stat().st_size, version("xllamacpp"), context, as_json(preamble))
    return f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.state"
