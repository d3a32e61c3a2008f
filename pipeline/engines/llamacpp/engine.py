"""A chat language model on a CPU: llama.cpp with a GGUF file, a slot for every caller."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeVar

import aiohttp

from pipeline.engines.common_prefix import common_prefix
from pipeline.engines.embedded_models import FETCHED, LLAMA_FILES, SMALL_MODELS
from pipeline.engines.llamacpp.call_opening import CallOpening
from pipeline.engines.llamacpp.gguf_vocabulary import read_control_tokens
from pipeline.engines.llamacpp.saved_states import KEPT, SavedStates
from pipeline.engines.llamacpp.server import CompletionStep, LlamaServer, LlamaServerSettings
from pipeline.engines.llamacpp.slots import Slot, SlotPool
from pipeline.engines.llamacpp.steps import BATCH, REUSED, StepPace, known
from pipeline.engines.llamacpp.text import PromptRefused
from pipeline.engines.model_files import model_folder
from pipeline.engines.silent_answer import unless_silent
from pipeline.errors import ConfigError, EngineError
from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.tools.call_schema import call_schema
from pipeline.tools.prompt_format import CALL, CALL_END, as_text
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk, TokenUsage

log = logging.getLogger(__name__)

T = TypeVar("T")

STAGE = "aura"
SILENCE = "the language model does not answer"
GREETING = (ChatMessage("user", "Hello."),)
TOGETHER = 8  # tokens of a request while others are served too: two callers' are written in 0.6 of the time
MOST_CALLS = 4  # of one answer
LEARN_S = 60.0  # a quiet machine needs a quarter of it; `infra/up` waits for 180 in all


@dataclass(slots=True)
class CallInProgress:
    """A function call that is being written, behind `prompt`."""

    prompt: list[int]
    text: str = ""


class LlamaCppEngine:
    """`Engine[ChatPrompt, TextChunk]`. Each `cache_salt` keeps a slot and its prefix cache, while there are slots.

    A slot that changes hands is set back to the stem of the new caller's prompts, or to the preamble, with
    which every caller's prompt begins, so that nothing that one caller said is ever found in another's cache.
    A stem that is read for the first time is kept. What was read before a request was cancelled stays read.
    """

    def __init__(
        self,
        server: LlamaServer,
        settings: LlamaServerSettings,
        preamble: tuple[ChatMessage, ...],
        states: SavedStates,
        control: ControlTokens,
        *,
        is_small: bool = False,
        tools_preamble: ChatMessage | None = None,
    ) -> None:
        self._server = server
        self._settings = settings
        self._slots = SlotPool(settings.slots)
        self._states = states
        self._preamble = preamble
        self._control = control
        self._is_small = is_small
        self._tools_preamble = tools_preamble
        self.calls_functions = not is_small
        self._preamble_tokens: list[int] = []
        self._stems: dict[tuple[ChatMessage, ...], list[int]] = {}
        self._pace = StepPace()

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
        stems: tuple[tuple[ChatMessage, ...], ...] = (),
        learn_s: float = LEARN_S,
    ) -> Self:
        """Starts the server and warms it up: it has written a token when this returns.

        Args:
            threads: CPU threads that decode.
            prompt_threads: CPU threads that prefill.
            context: Tokens of one slot: prompt and answer together.
            preamble: How every prompt begins. It is prefilled before anybody comes.
            tools_preamble: How prompts begin instead that offer functions; these come right after it.
            stems: How the prompts of callers who are known to come begin. They are prefilled after the preamble.
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
            control = await _answered(server.control_tokens(vocabulary), "the chat template cannot be used")
            states = SavedStates.of(saved, file, slots * context)
            is_small = folder.name in SMALL_MODELS
            llama = cls(server, settings, preamble, states, control, is_small=is_small, tools_preamble=tools_preamble)
            await llama._learn()
            await llama._learn_stems(stems, learn_s)
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
            computing = sum(await self._server.processing())
        except aiohttp.ClientError as error:
            if self._server.process.returncode is None:
                raise EngineError(STAGE, f"{SILENCE} ({type(error).__name__})") from error
            return 0
        # Asked while it computes a step, the server answers when that is done; so a request between two steps counts.
        return max(computing, self._slots.at_work)

    async def died(self) -> None:
        await self._server.process.wait()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _write(self, slot: Slot, chat: ChatPrompt) -> AsyncGenerator[str, None]:
        """The answer in pieces, a token or a whole character each."""
        messages = self._escaped(chat)
        prompt = await self._server.tokens(messages, unfinished=not chat.max_tokens)
        if len(prompt) >= self._settings.context:
            raise PromptRefused(f"the conversation is too long: {len(prompt)} tokens, {self._settings.context} fit")
        stem = await self._stem(messages[: chat.stem], prompt)
        await self._go_back(slot, chat.cache_salt, prompt, stem)
        slot.usage, slot.finish_reason = TokenUsage(len(prompt), cached=len(prompt)), None
        # The step that writes prefills the rest.
        ahead = len(prompt) - self._pace.step(1) * bool(chat.max_tokens)
        await self._read(slot, prompt[: max(ahead, len(stem))], stem)
        limit = min(len(prompt) + chat.max_tokens, self._settings.context) if chat.max_tokens else 0
        writing = self._with_calls if chat.tools.callable_tools else self._words
        async with aclosing(writing(slot, chat, prompt, limit)) as pieces:
            async for text in pieces:
                yield text

    async def _words(self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int) -> AsyncGenerator[str, None]:
        async with aclosing(self._write_on(slot, chat, prompt, limit)) as written:
            async for text, _ in written:
                yield text

    async def _with_calls(
        self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int
    ) -> AsyncGenerator[str, None]:
        """Words, and calls between their marks. Where a call has begun, only a right one can be written."""
        options = chat.tools
        for _ in range(MOST_CALLS if limit else 0):
            opening, safe = CallOpening(), prompt  # `safe` ends where nothing of a call is written yet
            is_open = options.is_required
            if not is_open:
                async with aclosing(self._write_on(slot, chat, prompt, limit)) as written:
                    async for text, after in written:
                        if words := opening.feed(text):
                            yield words
                        if is_open := opening.is_open:
                            break
                        safe = safe if opening.held else after
            if not is_open:
                if opening.held.strip():
                    yield opening.held
                return
            yield f"{CALL}\n"
            call = CallInProgress([*safe, *await self._server.raw_tokens(f"{CALL}\n")])
            async with aclosing(self._call(slot, chat, call, limit)) as pieces:
                async for text in pieces:
                    yield text
            if slot.finish_reason == "length":
                return
            yield f"\n{CALL_END}"
            slot.finish_reason = "stop"
            if options.is_required or not options.parallel:
                return
            prompt = [*call.prompt, *await self._server.raw_tokens(f"{call.text}\n{CALL_END}")]

    async def _call(self, slot: Slot, chat: ChatPrompt, call: CallInProgress, limit: int) -> AsyncGenerator[str, None]:
        """The JSON of one call, to the schema of its function, or at least to that of any."""
        slot.read, slot.finish_reason = call.prompt, "length"
        for plain in (False, True):
            schema, most = call_schema(chat.tools, plain=plain), limit - len(call.prompt)
            if most <= 0:
                return
            try:
                steps = self._server.constrained(slot.number, call.prompt, chat.temperature, most, schema)
                async with aclosing(steps):
                    async for step in steps:
                        if step.ended:
                            slot.finish_reason = None
                        else:
                            slot.took(0, written=1)
                            call.text += step.text
                            yield step.text
                return
            except PromptRefused:
                if plain or call.text:
                    raise

    async def _write_on(
        self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int
    ) -> AsyncGenerator[tuple[str, list[int]], None]:
        """What the model writes in whole characters, each with all tokens up to its end."""
        character: list[int] = []  # of which nothing has been told yet
        one_by_one = False
        while len(prompt) < limit:
            slot.read = prompt
            most = 1 if one_by_one else min(self._at_once(slot), limit - len(prompt))
            taken = 0
            async with aclosing(self._steps(slot, prompt, chat.temperature, most)) as steps:
                async for step in steps:
                    computed = 0 if slot.usage.written else step.computed  # afterwards it is what was written before
                    slot.took(computed, written=1)
                    if step.ended:
                        slot.finish_reason = "stop"
                        return
                    slot.read, prompt = prompt, prompt + step.tokens
                    taken += 1
                    character += step.tokens
                    text = step.text if len(character) == 1 else await self._server.text(character)
                    if text and not text.endswith("\ufffd"):
                        character.clear()
                        yield text, prompt
            one_by_one = taken < most or bool(character)  # within a character of several tokens
        if limit:
            slot.finish_reason = "length"

    def _at_once(self, slot: Slot) -> int:
        """How many tokens to ask for. Alone, one: who cancels is to find the model idle after no more than that."""
        return TOGETHER if slot.usage.written and self._slots.at_work > 1 else 1

    async def _steps(
        self, slot: Slot, prompt: list[int], temperature: float, most: int
    ) -> AsyncGenerator[CompletionStep, None]:
        if most == 1:
            yield await self._server.step(slot.number, prompt, temperature)
            return
        async with aclosing(self._server.steps(slot.number, prompt, temperature, most)) as steps:
            async for step in steps:
                yield step

    def _escaped(self, chat: ChatPrompt) -> tuple[ChatMessage, ...]:
        """What others have written has no power over the prompt; the preamble is ours."""
        messages = chat.messages
        if chat.tools.tools or any(each.calls or each.call_id for each in messages):
            known = frozenset((*self._preamble, *filter(None, [self._tools_preamble])))
            return as_text(messages, chat.tools.tools, self._control.escape, known)
        ours = len(self._preamble) if messages[: len(self._preamble)] == self._preamble else 0
        theirs = (replace(each, text=self._control.escape(each.text)) for each in messages[ours:])
        return (*messages[:ours], *theirs)

    async def _stem(self, messages: tuple[ChatMessage, ...], prompt: list[int]) -> list[int]:
        """The beginning of the prompt that comes in other calls too."""
        if messages and messages not in self._stems:
            if len(self._stems) == KEPT:
                self._stems.clear()
            self._stems[messages] = await self._server.tokens(messages)
        return prompt[: common_prefix(self._stems.get(messages, []), prompt)]

    async def _go_back(self, slot: Slot, owner: str, prompt: list[int], stem: list[int]) -> None:
        """Restore a saved state where it holds more of the prompt than the slot's cache does."""
        if slot.owner != owner:
            slot.owner, slot.read = owner, []
        for kept in (stem, self._preamble_tokens):
            if common_prefix(kept, prompt) <= known(prompt, slot.read):
                continue
            if await self._states.restore(self._server, slot.number, kept):
                slot.read = kept
        if not slot.read:
            await self._server.slot_action(slot.number, "erase")

    async def _read(self, slot: Slot, prompt: list[int], stem: list[int]) -> None:
        """Prefill it in steps; the token that is written after each is of no use."""
        clock = asyncio.get_running_loop().time
        read = known(prompt, slot.read)
        while True:
            if stem and slot.read == stem:
                self._states.used(self._preamble_tokens)
                await self._states.save(self._server, slot.number, stem)
            if read >= len(prompt):
                return
            began, rest = clock(), len(stem) - read
            read = min(read + self._pace.step(len(prompt) - read), len(prompt), len(stem) if rest > 0 else len(prompt))
            slot.read = prompt[:read]
            step = await self._server.step(slot.number, slot.read)
            slot.took(step.computed)
            self._pace.took(clock() - began)

    async def _learn(self) -> None:
        """See to it that the preamble's state is in its file, and write for the first time."""
        await _answered(self._first_written(), "the preamble cannot be read")

    async def _first_written(self) -> None:
        if not self._preamble:
            await self._server.step(0, await self._server.tokens(GREETING))
            return
        self._preamble_tokens = await self._server.tokens(self._preamble)
        is_kept = await self._states.restore(self._server, 0, self._preamble_tokens)
        if not is_kept:
            log.info("reading the preamble for the first time", extra={"stage": STAGE})
        await self._server.step(0, self._preamble_tokens)
        if not is_kept:
            await self._states.save(self._server, 0, self._preamble_tokens)

    async def _learn_stems(self, stems: tuple[tuple[ChatMessage, ...], ...], learn_s: float) -> None:
        """See to it that the state after each stem is in its file."""
        with suppress(TimeoutError):
            async with asyncio.timeout(learn_s), aclosing(self.generate("learn", _only_read(stems))) as nothing:
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


async def _only_read(stems: tuple[tuple[ChatMessage, ...], ...]) -> AsyncGenerator[ChatPrompt, None]:
    for stem in stems:
        yield ChatPrompt((*stem, ChatMessage("user", "")), "", 0, stem=len(stem))
