"""A chat language model on a CPU: llama.cpp with a GGUF file, a slot for every caller."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Self

import aiohttp

from pipeline.chunks import Chat, Message, Text, Usage
from pipeline.engines.files import model_folder
from pipeline.engines.llama_server import LlamaServer, ServerSettings
from pipeline.engines.llama_steps import BATCH, REUSED, Pace, known
from pipeline.engines.llama_text import Refused, unless_silent
from pipeline.engines.slots import Slot, Slots
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STAGE = "aura"
FILES = ("model.gguf",)


class Llama:
    """`Engine[Chat, Text]`. Each `cache_salt` keeps a slot, and with it its prefix cache, while there are slots.

    A slot that changes hands is set back to the preamble, which every caller's prompt begins with, so
    that nothing of one caller is ever found in another's cache. What was read before a request was
    cancelled stays read.
    """

    def __init__(
        self, server: LlamaServer, settings: ServerSettings, preamble: tuple[Message, ...], saved: str
    ) -> None:
        """
        Args:
            saved: Name of the saved state of a slot that has read the preamble and nothing else.
        """
        self._server = server
        self._settings = settings
        self._slots = Slots(settings.slots)
        self._preamble, self._saved = preamble, saved
        self._preamble_tokens: list[int] = []
        self._reviving = asyncio.Lock()
        self._pace = Pace()

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
        settings = ServerSettings(str(file), str(saved), slots, context, BATCH, REUSED, threads, prompt_threads)
        server = await LlamaServer.start(settings)
        llama = cls(server, settings, preamble, _state_name(file, slots * context, preamble))
        try:
            await llama._learn()
        except BaseException:
            await llama.aclose()
            raise
        return llama

    async def generate(self, request_id: str, prompts: AsyncIterator[Chat]) -> AsyncGenerator[Text, None]:
        async for chat in prompts:
            await self._revive()
            async with self._slots.of(chat.cache_salt) as slot:
                try:
                    await self._take_over(slot, chat.cache_salt)
                    async with aclosing(unless_silent(self._write(slot, chat))) as pieces:
                        async for text in pieces:
                            yield Text(text, slot.usage)
                    if chat.max_tokens:
                        yield Text("", slot.usage)
                except Refused as refusal:
                    raise EngineError(STAGE, str(refusal)) from refusal
                except aiohttp.ClientError as error:
                    raise EngineError(STAGE, f"the language model does not answer ({type(error).__name__})") from error

    async def busy(self) -> int:
        if self._server.process.returncode is not None:
            return 0
        try:
            computing = sum(await self._server.processing())
        except aiohttp.ClientError:  # it is dying
            computing = 0
        # Asked while it computes a step, the server answers when that is done; so a request between two steps counts.
        return max(computing, self._slots.at_work)

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _write(self, slot: Slot, chat: Chat) -> AsyncGenerator[str, None]:
        """The answer in pieces, a token or a whole character each."""
        prompt = await self._server.tokens(chat.messages, unfinished=not chat.max_tokens)
        if len(prompt) >= self._settings.context:
            raise Refused(f"the conversation is too long: {len(prompt)} tokens, {self._settings.context} fit")
        slot.usage = Usage(len(prompt), cached=known(prompt, slot.read))
        await self._read(slot, prompt if not chat.max_tokens else prompt[: -self._pace.tokens])
        limit = min(len(prompt) + chat.max_tokens, self._settings.context)
        character: list[int] = []  # of which nothing has been told yet
        while len(prompt) < limit:
            slot.read = prompt
            step = await self._server.step(slot.number, prompt, chat.temperature)
            slot.usage = replace(slot.usage, written=slot.usage.written + 1)
            if step.ended:
                return
            prompt = prompt + step.tokens
            character += step.tokens
            text = step.text if len(character) == 1 else await self._server.text(character)
            if text and not text.endswith("\ufffd"):
                character.clear()
                yield text

    async def _read(self, slot: Slot, prompt: list[int]) -> None:
        """Read it in steps; what is written after each is of no use."""
        clock = asyncio.get_running_loop().time
        read = known(prompt, slot.read)
        while read < len(prompt):
            began, read = clock(), min(read + self._pace.tokens, len(prompt))
            slot.read = prompt[:read]
            await self._server.step(slot.number, slot.read)
            self._pace.took(clock() - began)

    async def _take_over(self, slot: Slot, owner: str) -> None:
        if slot.owner != owner:
            restored = await self._server.slot_action(slot.number, "restore", self._saved)
            if not restored:
                await self._server.slot_action(slot.number, "erase")
            slot.owner, slot.read = owner, self._preamble_tokens if restored else []

    async def _revive(self) -> None:
        """A server that has died is replaced; what its slots had read is gone."""
        async with self._reviving:
            if self._server.process.returncode is None:
                return
            log.error("the language model's process has died, starting another", extra={"stage": STAGE})
            await self._server.aclose()
            try:
                self._server = await LlamaServer.start(self._settings)
            except ConfigError as error:
                raise EngineError(STAGE, f"the language model does not come back: {error}") from error
            self._slots.forget()
            await self._learn()

    async def _learn(self) -> None:
        """See to it that the preamble's state is in its file."""
        if not self._preamble:
            return
        try:
            self._preamble_tokens = await self._server.tokens(self._preamble)
            if await self._server.slot_action(0, "restore", self._saved):
                return
            log.info("reading the preamble for the first time", extra={"stage": STAGE})
            await self._server.step(0, self._preamble_tokens)
        except (Refused, aiohttp.ClientError) as error:
            raise EngineError(STAGE, f"the preamble cannot be read: {error}") from error
        if not await self._server.slot_action(0, "save", self._saved):
            log.warning("the preamble cannot be saved, every caller's first answer takes seconds longer")


def _state_name(model: Path, cells: int, preamble: tuple[Message, ...]) -> str:
    """Changes with everything that the saved state depends on; `cells` are the tokens of all slots together."""
    said = [(message.role, message.text) for message in preamble]
    parts = (str(model.parent.name), model.stat().st_size, version("xllamacpp"), cells, said)
    return f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.state"
