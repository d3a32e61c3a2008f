"""A chat language model on a CPU: llama.cpp with a GGUF file, a slot for every caller."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self, TypeVar

import aiohttp

from pipeline.engines.embedded_models import FETCHED, LLAMA_FILES, SMALL_MODELS
from pipeline.engines.llamacpp.answer_writer import AnswerWriter
from pipeline.engines.llamacpp.gguf_vocabulary import read_control_tokens
from pipeline.engines.llamacpp.prompt_escaper import PromptEscaper
from pipeline.engines.llamacpp.saved_states import SavedStates
from pipeline.engines.llamacpp.server.prompt_refused import PromptRefused
from pipeline.engines.llamacpp.server.server import LlamaServer
from pipeline.engines.llamacpp.server.settings import LlamaServerSettings
from pipeline.engines.llamacpp.slot_prefill import SlotPrefill
from pipeline.engines.llamacpp.slots import Slot, SlotPool
from pipeline.engines.llamacpp.step_pace import BATCH, REUSED
from pipeline.engines.model_files import model_folder
from pipeline.engines.silent_answer import unless_silent
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk

T = TypeVar("T")

STAGE = "aura"
SILENCE = "the language model does not answer"
LEARN_S = 60.0  # a quiet machine needs a quarter of it; `infra/up` waits for 180 in all


class LlamaCppEngine:
    """`Engine[ChatPrompt, TextChunk]`. Each `cache_salt` keeps a slot and its prefix cache, while there are slots."""

    def __init__(
        self,
        server: LlamaServer,
        settings: LlamaServerSettings,
        states: SavedStates,
        escaper: PromptEscaper,
        *,
        is_small: bool = False,
    ) -> None:
        self._server, self._settings, self._escaper = server, settings, escaper
        self._slots = SlotPool(settings.slots)
        self._prefill = SlotPrefill(server, states, self._slots)
        self._answers = AnswerWriter(server, self._slots)
        self._is_small = is_small
        self.calls_functions = not is_small

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
        preamble: tuple[ChatMessage, ...] = (),
        tools_preamble: ChatMessage | None = None,
        known: tuple[ChatPrompt, ...] = (),
        learn_s: float = LEARN_S,
    ) -> Self:
        """Starts the server and warms it up: it has written a token when this returns.

        Args:
            threads: CPU threads that decode.
            prompt_threads: CPU threads that prefill.
            context: Tokens of one slot: prompt and answer together.
            preamble: How every prompt begins. It is prefilled before anybody comes.
            tools_preamble: How prompts begin instead that offer functions; these come right after it.
            known: Prompts of callers who are known to come. Their stems are prefilled after the preamble.
            learn_s: Seconds for the stems. What is not prefilled by then the first caller waits for: a busy machine is
                to start in time.

        Raises:
            ConfigError: No model is complete, or it cannot be loaded.
            EngineError: The preamble or a stem cannot be prefilled.
        """
        folder = model_folder(models_dir, (model, fallback), LLAMA_FILES, FETCHED)
        file = folder / LLAMA_FILES[0]
        saved = models_dir / "states"
        try:
            saved.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ConfigError(str(saved), [f"cannot be made: {error.strerror}"]) from error
        settings = LlamaServerSettings(str(file), str(saved), slots, context, BATCH, REUSED, threads, prompt_threads)
        server = await LlamaServer.start(settings)
        try:
            vocabulary = await asyncio.to_thread(read_control_tokens, file)
            control = await _answered(server.tokenizer.control_tokens(vocabulary), "the chat template cannot be used")
            escaper = PromptEscaper(control, preamble, tools_preamble)
            states = SavedStates.of(saved, file, slots * context)
            llama = cls(server, settings, states, escaper, is_small=folder.name in SMALL_MODELS)
            await _answered(llama._prefill.learn(preamble, STAGE), "the preamble cannot be read")
            await llama._learn_stems(known, learn_s)
        except BaseException:
            await server.aclose()
            raise
        return llama

    async def generate(self, request_id: str, prompts: AsyncIterator[ChatPrompt]) -> AsyncGenerator[TextChunk, None]:
        async for chat in prompts:
            if self._is_small and chat.plain_answer:
                yield TextChunk(chat.plain_answer, finish_reason="stop")
                continue
            async with self._slots.of(chat.cache_salt) as slot:
                try:
                    async with aclosing(unless_silent(self._write(slot, chat))) as pieces:
                        async for text in pieces:
                            yield TextChunk(text, slot.usage)
                    if chat.max_tokens:
                        yield TextChunk("", slot.usage, slot.finish_reason)
                except PromptRefused as refusal:
                    raise EngineError(STAGE, str(refusal)) from refusal
                except aiohttp.ClientError as error:
                    raise EngineError(STAGE, f"{SILENCE} ({type(error).__name__})") from error

    async def busy(self) -> int:
        """Counts the requests that compute; 0 once the process has died.

        Raises:
            EngineError: Its process lives and does not answer.
        """
        try:
            computing = sum(await self._server.api.processing())
        except aiohttp.ClientError as error:
            if self._server.process.child.returncode is None:
                raise EngineError(STAGE, f"{SILENCE} ({type(error).__name__})") from error
            return 0
        # Asked while it computes a step, the server answers when that is done; so a request between two steps counts.
        return max(computing, self._slots.at_work)

    async def died(self) -> None:
        await self._server.process.child.wait()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _write(self, slot: Slot, chat: ChatPrompt) -> AsyncGenerator[str, None]:
        """The answer in pieces, a token or a whole character each."""
        messages, context = self._escaper.messages(chat), self._settings.context
        prompt = await self._server.tokenizer.tokens(messages, unfinished=not chat.max_tokens)
        if len(prompt) >= context:
            raise PromptRefused(f"the conversation is too long: {len(prompt)} tokens, {context} fit")
        stem, is_answered = messages[: chat.stem], bool(chat.max_tokens)
        await self._prefill.prefill(slot, chat.cache_salt, prompt, stem, is_answered=is_answered)
        limit = min(len(prompt) + chat.max_tokens, context) if is_answered else 0
        async with aclosing(self._answers.write(slot, chat, prompt, limit)) as pieces:
            async for text in pieces:
                yield text

    async def _learn_stems(self, known: tuple[ChatPrompt, ...], learn_s: float) -> None:
        """See to it that the state after each stem is in its file."""
        with suppress(TimeoutError):
            async with asyncio.timeout(learn_s), aclosing(self.generate("learn", _stems_of(known))) as nothing:
                async for _ in nothing:
                    """It is only prefilled."""


async def _answered(answer: Awaitable[T], fault: str) -> T:
    """Awaits an answer of the server and turns its failures into the engine's error.

    Raises:
        EngineError: The server does not answer, or refuses.
    """
    try:
        return await answer
    except (PromptRefused, aiohttp.ClientError) as error:
        raise EngineError(STAGE, f"{fault}: {error}") from error


async def _stems_of(prompts: tuple[ChatPrompt, ...]) -> AsyncGenerator[ChatPrompt, None]:
    """What is only to be prefilled of them: all that comes before a question."""
    for prompt in prompts:
        stem = (*prompt.messages[: prompt.stem], ChatMessage("user", ""))
        yield replace(prompt, messages=stem, cache_salt="", max_tokens=0)
