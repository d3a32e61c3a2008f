"""An answer in a slot: words, and calls of functions between their marks."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.engines.llamacpp.call_opening import CallOpening
from pipeline.engines.llamacpp.server.completions import CompletionStep
from pipeline.engines.llamacpp.server.prompt_refused import PromptRefused
from pipeline.engines.llamacpp.server.server import LlamaServer
from pipeline.engines.llamacpp.slots import Slot, SlotPool
from pipeline.tools.call_schema import call_schema
from pipeline.tools.prompt_format import CALL, CALL_END
from pipeline.types.chunks import ChatPrompt

TOGETHER = 8  # tokens of a request while others are served too: two callers' are written in 0.6 of the time
MOST_CALLS = 4  # of one answer


@dataclass(slots=True)
class CallInProgress:
    """A function call that is being written, behind `prompt`."""

    prompt: list[int]
    text: str = ""


class AnswerWriter:
    """Writes answers behind prompts that are prefilled but for their end."""

    def __init__(self, server: LlamaServer, slots: SlotPool) -> None:
        self._server, self._slots = server, slots

    async def write(self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int) -> AsyncGenerator[str, None]:
        """Yields the answer in pieces, a token or a whole character each.

        Args:
            limit: At how many tokens it ends, the prompt's included; 0: nothing is written.

        Raises:
            PromptRefused: The server cannot serve the prompt.
            aiohttp.ClientError: The server is gone.
        """
        writing = self._with_calls if chat.tools.callable_tools else self._words
        async with aclosing(writing(slot, chat, prompt, limit)) as pieces:
            async for text in pieces:
                yield text

    async def _words(self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int) -> AsyncGenerator[str, None]:
        async with aclosing(self._characters(slot, chat, prompt, limit)) as written:
            async for text, _ in written:
                yield text

    async def _with_calls(
        self, slot: Slot, chat: ChatPrompt, prompt: list[int], limit: int
    ) -> AsyncGenerator[str, None]:
        """Words, and calls between their marks. Where a call has begun, only a right one can be written."""
        options, tokenizer = chat.tools, self._server.tokenizer
        for _ in range(MOST_CALLS if limit else 0):
            opening, safe = CallOpening(), prompt  # `safe` ends where nothing of a call is written yet
            is_open = options.is_required
            if not is_open:
                async with aclosing(self._characters(slot, chat, prompt, limit)) as written:
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
            call = CallInProgress([*safe, *await tokenizer.raw_tokens(f"{CALL}\n")])
            async with aclosing(self._call(slot, chat, call, limit)) as pieces:
                async for text in pieces:
                    yield text
            if slot.finish_reason == "length":
                return
            yield f"\n{CALL_END}"
            slot.finish_reason = "stop"
            if options.is_required or not options.parallel:
                return
            prompt = [*call.prompt, *await tokenizer.raw_tokens(f"{call.text}\n{CALL_END}")]

    async def _call(self, slot: Slot, chat: ChatPrompt, call: CallInProgress, limit: int) -> AsyncGenerator[str, None]:
        """The JSON of one call, to the schema of its function, or at least to that of any."""
        slot.read, slot.finish_reason = call.prompt, "length"
        for plain in (False, True):
            schema, most = call_schema(chat.tools, plain=plain), limit - len(call.prompt)
            if most <= 0:
                return
            try:
                steps = self._server.completions.constrained(slot.number, call.prompt, chat.temperature, most, schema)
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

    async def _characters(
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
                    text = step.text if len(character) == 1 else await self._server.tokenizer.text(character)
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
        completions = self._server.completions
        if most == 1:
            yield await completions.step(slot.number, prompt, temperature)
            return
        async with aclosing(completions.steps(slot.number, prompt, temperature, most)) as steps:
            async for step in steps:
                yield step
