"""How slots come to hold their prompts, with a server that only counts."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.engines.llamacpp.saved_states import KEPT, SavedStates
from pipeline.engines.llamacpp.server.completions import CompletionStep
from pipeline.engines.llamacpp.slot_prefill import STEM_PART, SlotPrefill
from pipeline.engines.llamacpp.slots import Slot, SlotPool
from pipeline.engines.llamacpp.step_pace import BATCH, FEWEST
from pipeline.types.chunks import ChatMessage

STEP_S = 0.1  # so long that steps stay as short as they can be
STEM = (ChatMessage("system", "s" * (3 * STEM_PART + 5)),)
OTHER = (ChatMessage("system", "o" * (2 * STEM_PART)),)


@dataclass
class Server:
    """Stands in for llama.cpp's: a letter is a token, and a slot's state is its tokens.

    Attributes:
        held: What each slot holds.
        computed: The tokens that each has computed.
        largest: The most of them in one step.
        fails_at: The number of the step that fails, if one does.
        full: Nothing more can be saved.
        damaged: No state can be restored, and what the slot held is lost, too.
    """

    folder: Path
    held: dict[int, list[int]] = field(default_factory=dict)
    computed: Counter[int] = field(default_factory=Counter)
    largest: int = 0
    steps: int = 0
    fails_at: int = 0
    full: bool = False
    damaged: bool = False

    async def tokens(self, messages: Sequence[ChatMessage]) -> list[int]:
        return [ord(letter) for message in messages for letter in message.text]

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool:
        if action == "save":
            if self.full:
                return False
            (self.folder / file).write_text(repr(self.held[slot]))
        elif action == "restore":
            self.held.pop(slot, None)
            if self.damaged:
                return False
            self.held[slot] = eval((self.folder / file).read_text())
        elif action == "erase":
            self.held.pop(slot, None)
        return True

    async def step(self, slot: int, tokens: Sequence[int]) -> CompletionStep:
        await asyncio.sleep(STEP_S)
        self.steps += 1
        if self.steps == self.fails_at:
            raise ConnectionError
        held = self.held.get(slot, [])
        assert list(tokens[: len(held)]) == held, "it goes on behind what the slot holds"
        computed = len(tokens) - len(held)
        self.computed[slot] += computed
        self.largest = max(self.largest, computed)
        self.held[slot] = list(tokens)
        return CompletionStep([0], "", False, computed)


@dataclass
class Templated(Server):
    """The same with a chat template, which begins an answer behind the last message."""

    async def tokens(self, messages: Sequence[ChatMessage]) -> list[int]:
        return [ord(letter) for letter in "".join(f"<{each.role[0]}{each.text}" for each in messages) + "<a"]


def prefill_in(folder: Path, slots: SlotPool | None = None) -> tuple[Server, SlotPrefill]:
    server = Server(folder)
    parts: Any = SimpleNamespace(api=server, completions=server, tokenizer=server)
    return server, SlotPrefill(parts, SavedStates(folder, "a model"), slots or SlotPool(2))


def files(folder: Path) -> int:
    return len(list(folder.iterdir()))


async def read(prefill: SlotPrefill, slot: Slot, said: str, stem: tuple[ChatMessage, ...] = STEM) -> list[int]:
    prompt = [ord(letter) for message in (*stem, ChatMessage("user", said)) for letter in message.text]
    await prefill.prefill(slot, f"caller of {slot.number}", prompt, stem, is_answered=False)
    return prompt


async def test_two_callers_with_the_same_stem_read_it_once(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    one, two = await asyncio.gather(read(prefill, Slot(0), "one"), read(prefill, Slot(1), "two, too"))
    assert server.held == {0: one, 1: two}
    assert server.computed == {0: len(one), 1: len("two, too")}


async def test_callers_with_other_stems_do_not_wait_for_each_other(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    clock = asyncio.get_running_loop().time
    began = clock()
    one, two = await asyncio.gather(read(prefill, Slot(0), ""), read(prefill, Slot(1), "", OTHER))
    assert server.computed == {0: len(one), 1: len(two)}
    assert clock() - began == pytest.approx(STEP_S * -(-len(one) // BATCH))


async def test_what_a_call_that_ended_too_soon_has_read_of_a_stem_the_next_one_need_not_read(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(STEP_S * (2 * STEM_PART // BATCH + 1.5)):
            await read(prefill, Slot(0), "one")
    two = await read(prefill, Slot(1), "two")
    assert server.computed[1] == len(two) - 2 * STEM_PART


async def test_a_stem_is_the_same_whoever_speaks_next(tmp_path: Path) -> None:
    server = Templated(tmp_path)
    parts: Any = SimpleNamespace(api=server, completions=server, tokenizer=server)
    prefill = SlotPrefill(parts, SavedStates(tmp_path, "a model"), SlotPool(2))
    greeted, asks = ChatMessage("assistant", "Hello."), ChatMessage("user", "one")
    for slot, said in enumerate([(asks,), (greeted, asks)]):
        prompt = await server.tokens((*STEM, *said))
        await prefill.prefill(Slot(slot), f"caller of {slot}", prompt, STEM, is_answered=False)
        assert server.held[slot] == prompt
    assert files(tmp_path) == 1
    assert server.computed[1] == len("<aHello.<uone<a") - len("<")


async def test_who_waits_for_a_stem_reads_on_when_the_one_who_reads_it_fails(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    server.fails_at = STEM_PART // BATCH + 2
    callers = read(prefill, Slot(0), "one"), read(prefill, Slot(1), "two")
    one, two = await asyncio.gather(*callers, return_exceptions=True)
    assert isinstance(one, ConnectionError)
    assert server.held[1] == two
    assert server.computed[1] == len(server.held[1]) - STEM_PART


async def test_of_a_stem_that_is_read_only_the_whole_is_kept(tmp_path: Path) -> None:
    _, prefill = prefill_in(tmp_path)
    await prefill.learn(OTHER, "aura")
    await read(prefill, Slot(0), "one", (*OTHER, *STEM))
    await read(prefill, Slot(1), "two")
    assert files(tmp_path) == 3 < KEPT, "the preamble, though it ends where a part does, and two stems"


async def test_a_stem_is_prefilled_in_small_steps_while_somebody_is_answered(tmp_path: Path) -> None:
    slots = SlotPool(2)
    server, prefill = prefill_in(tmp_path, slots)
    async with slots.of("who is answered"), slots.of("who has come") as slot:
        prompt = await read(prefill, slot, "")
    assert server.steps == -(-len(prompt) // FEWEST)


async def test_where_nothing_can_be_saved_what_was_kept_stays(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(STEP_S * (STEM_PART // BATCH + 1.5)):
            await read(prefill, Slot(0), "one")
    server.full = True
    await read(prefill, Slot(0), "one")
    two = await read(prefill, Slot(1), "two")
    assert server.computed[1] == len(two) - STEM_PART


async def test_a_part_with_which_another_stem_begins_stays(tmp_path: Path) -> None:
    longer = (ChatMessage("system", STEM[0].text + "t" * STEM_PART),)
    server, prefill = prefill_in(tmp_path)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(STEP_S * (2 * STEM_PART // BATCH + 1.5)):
            await read(prefill, Slot(0), "one", longer)
    await read(prefill, Slot(1), "two")
    three = await read(prefill, Slot(2), "three", longer)
    assert server.computed[2] <= len(three) - 3 * STEM_PART


async def test_stems_that_begin_alike_are_prefilled_one_after_the_other(tmp_path: Path) -> None:
    other = (ChatMessage("system", STEM[0].text[: 2 * STEM_PART] + "t" * STEM_PART),)
    server, prefill = prefill_in(tmp_path)
    one, two = await asyncio.gather(read(prefill, Slot(0), "one"), read(prefill, Slot(1), "two", other))
    assert server.held == {0: one, 1: two}
    assert server.computed == {0: len(one), 1: len(two) - 2 * STEM_PART}


async def test_a_state_that_is_damaged_is_prefilled_anew(tmp_path: Path) -> None:
    server, prefill = prefill_in(tmp_path)
    await read(prefill, Slot(0), "one")
    slot = Slot(1)
    await read(prefill, slot, "two", (ChatMessage("system", STEM[0].text[: STEM_PART + 6]),))
    server.damaged, server.computed[1] = True, 0
    two = await read(prefill, slot, "two")
    assert server.held[1] == two
    assert server.computed[1] == len(two)
    assert server.largest <= BATCH, "what a failed restore has lost is not computed all at once"
