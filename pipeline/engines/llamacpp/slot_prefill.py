"""Prefill of slots: what a prompt begins with is restored from a file if it can be; the rest is computed in steps."""

import asyncio
import logging
from weakref import WeakValueDictionary

from pipeline.engines.common_prefix import common_prefix
from pipeline.engines.llamacpp.saved_states import KEPT, SavedStates
from pipeline.engines.llamacpp.server.server import LlamaServer
from pipeline.engines.llamacpp.slots import Slot, SlotPool
from pipeline.engines.llamacpp.step_pace import BATCH, StepPace, known
from pipeline.types.chunks import ChatMessage, TokenUsage

log = logging.getLogger(__name__)

STEM_PART = 64  # tokens of a stem after which it is kept as far as it goes
GREETING = (ChatMessage("user", "Hello."),)


class SlotPrefill:
    """Prefills prompts in slots.

    A slot that changes hands is set back to the stem of the new caller's prompts, or to the preamble, with
    which every caller's prompt begins, so that nothing that one caller said is ever found in another's cache.
    A stem that is prefilled for the first time is kept, part by part, and by one slot at a time of all whose stems
    begin alike: whoever comes with the same one meanwhile, or after a call that ended too soon, goes on where it
    stands. What was prefilled before a request was cancelled stays so.
    """

    def __init__(self, server: LlamaServer, states: SavedStates, slots: SlotPool) -> None:
        self._server, self._states, self._slots = server, states, slots
        self._preamble: list[int] = []
        self._stems: dict[tuple[ChatMessage, ...], list[int]] = {}
        self._prefilling: WeakValueDictionary[tuple[int, ...], asyncio.Lock] = WeakValueDictionary()
        self._pace = StepPace()

    async def learn(self, preamble: tuple[ChatMessage, ...], stage: str) -> None:
        """See to it that the preamble's state is in its file, and write a token for the first time."""
        completions, tokenizer = self._server.completions, self._server.tokenizer
        if not preamble:
            await completions.step(0, await tokenizer.tokens(GREETING))
            return
        self._preamble = await tokenizer.tokens(preamble)
        is_kept = await self._states.restore(self._server.api, 0, self._preamble)
        if not is_kept:
            log.info("reading the preamble for the first time", extra={"stage": stage})
        await completions.step(0, self._preamble)
        if not is_kept:
            await self._states.save(self._server.api, 0, self._preamble)

    async def prefill(
        self, slot: Slot, owner: str, prompt: list[int], stem: tuple[ChatMessage, ...], *, is_answered: bool
    ) -> None:
        """Have the slot's cache hold the prompt.

        Args:
            stem: The messages that the prompt begins with in other calls too.
            is_answered: An answer is written behind it: the step that writes its first token prefills the last ones.
        """
        begins = await self._stem(stem, prompt)
        if slot.owner != owner:
            slot.owner, slot.read = owner, []
        slot.usage, slot.finish_reason = TokenUsage(len(prompt), cached=len(prompt)), None
        await self._go_back(slot, prompt, begins)
        if common_prefix(begins, slot.read) < len(begins):
            async with self._prefilling.setdefault(tuple(begins[:STEM_PART]), asyncio.Lock()):
                await self._go_back(slot, prompt, begins)  # another slot may have prefilled some of it meanwhile
                await self._prefill_stem(slot, begins, stem)
        ahead = len(prompt) - self._pace.tokens * is_answered
        await self._read(slot, prompt[: max(ahead, len(begins))])

    async def _stem(self, messages: tuple[ChatMessage, ...], prompt: list[int]) -> list[int]:
        """The tokens of the stem, as far as the prompt begins with them."""
        if messages and messages not in self._stems:
            tokens = await self._always(messages)
            if len(self._stems) >= KEPT:
                self._stems.clear()
            self._stems[messages] = tokens
        return prompt[: common_prefix(self._stems.get(messages, []), prompt)]

    async def _always(self, messages: tuple[ChatMessage, ...]) -> list[int]:
        """The tokens with which a prompt begins that begins with these messages, whoever speaks next."""
        tokenizer = self._server.tokenizer
        answered = await tokenizer.tokens(messages)  # the template may begin an answer behind them
        asked = await tokenizer.tokens((*messages, ChatMessage("user", "")))
        return answered[: common_prefix(answered, asked)]

    async def _go_back(self, slot: Slot, prompt: list[int], stem: list[int]) -> None:
        """Restore a saved state where it holds more of the prompt than the slot's cache does."""
        held = known(prompt, slot.read)
        for kept in (*reversed(_parts(stem)), self._preamble):
            if common_prefix(kept, prompt) <= held or not self._states.has(kept):
                continue
            slot.read, held = [], 0  # nobody knows what it holds, should that fail or be cancelled
            if await self._states.restore(self._server.api, slot.number, kept):
                self._states.used(self._preamble)
                slot.read = kept
                break
        if not slot.read:
            await self._server.api.slot_action(slot.number, "erase")

    async def _prefill_stem(self, slot: Slot, stem: list[int], messages: tuple[ChatMessage, ...]) -> None:
        """Prefill what the slot lacks of the stem, and keep each part in the place of the one before it."""
        before: list[int] = []
        for part in _parts(stem):
            if common_prefix(part, slot.read) < len(part):
                await self._read(slot, part, hurries=True)
                self._states.used(self._preamble)
                is_kept = await self._states.save(self._server.api, slot.number, part)
                others = (tokens for each, tokens in self._stems.items() if each != messages)
                is_shared = any(common_prefix(other, before) == len(before) for other in (self._preamble, *others))
                if is_kept and not is_shared:
                    self._states.forget(before)
            before = part

    async def _read(self, slot: Slot, prompt: list[int], *, hurries: bool = False) -> None:
        """Prefill it in steps; the token that is written after each is of no use.

        Args:
            hurries: Steps may take longer, while no other slot is at work: they are later to stop, and sooner done.
        """
        clock = asyncio.get_running_loop().time
        read = known(prompt, slot.read)
        while read < len(prompt):
            began, tokens = clock(), self._pace.tokens
            if hurries and self._slots.at_work <= 1:
                tokens = BATCH
            read = min(read + tokens, len(prompt))
            slot.read = prompt[:read]
            step = await self._server.completions.step(slot.number, slot.read)
            slot.took(step.computed)
            if tokens == self._pace.tokens:
                self._pace.took(clock() - began)


def _parts(stem: list[int]) -> list[list[int]]:
    """What is kept of a stem while it is prefilled, the whole of it last."""
    return [stem[: min(end, len(stem))] for end in range(STEM_PART, len(stem) + STEM_PART, STEM_PART)]
