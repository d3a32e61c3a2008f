"""AURA's engine on a fake of vLLM: what is asked of it, and what is made of its tokens."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.engines.aura.engine import AuraEngine, AuraEngineSettings
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.engines.aura.setup import open_aura
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.errors import ConfigError, EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.aura.text import NAMED, AuraText
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.types.chunks import MultimodalPrompt, Priority, TokenUsage
from pipeline.types.function_tools import FunctionTool, ToolOptions
from pipeline.types.turn_request import ResponseOptions, TurnRequest

IDS = {name: 300 + at for at, name in enumerate(NAMED)}
SILENT, IM_END, VIDEO, IMAGE = (IDS[name] for name in ("<|silent|>", "<|im_end|>", "<|video_pad|>", "<|image_pad|>"))
BEGIN, END = (IDS[name] for name in ("<|vision_start|>", "<|vision_end|>"))
SECOND = VideoChunk("one", tuple(np.zeros((2, 64, 64, 3), np.uint8)))
PICTURE = VideoChunk("two", tuple(np.zeros((1, 256, 256, 3), np.uint8)))


class Bytes:
    """A tokenizer whose tokens are bytes, and the named ones."""

    def get_vocab(self) -> dict[str, int]:
        return IDS

    def get_added_vocab(self) -> dict[str, int]:
        return {**IDS, "<tool_call>": 400, "[INST]": 401}

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        return {"input_ids": list(text.encode())}

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        return bytes(each for each in ids if each < 256).decode(errors="replace")


@dataclass
class Fake:
    """Writes given tokens, two at a time."""

    ids: Iterable[int]
    request: list[tuple[str, RequestSampling, PromptChunk, int]] = field(default_factory=list)
    closed: int = 0

    async def answer(
        self, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        self.request.append((request_id, sampling, chunk, priority))
        ids = list(self.ids)[: chunk.max_tokens]
        try:
            for at in range(0, len(ids), 2):
                stopped = ids[at : at + 2][-1] in sampling.stop_token_ids
                ended = stopped or at + 2 >= chunk.max_tokens
                yield EngineOutput(tuple(ids[at : at + 2]), (), ended, stopped, prompt_tokens=100, cached_tokens=60)
        finally:
            self.closed += 1

    async def died(self) -> None:
        """Never."""
        await asyncio.Event().wait()

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""


def engine(fake: Fake, most: int = 1_000) -> AuraEngine:
    return AuraEngine(fake, AuraText(Bytes(), "test"), AuraEngineSettings(SamplingDefaults(0.5), most))


async def scenes(*prompts: MultimodalPrompt) -> AsyncGenerator[MultimodalPrompt, None]:
    for prompt in prompts:
        yield prompt


async def written(aura: AuraEngine, *prompts: MultimodalPrompt) -> list[str]:
    async with aclosing(aura.generate("r", scenes(*prompts))) as words:
        return [word.text async for word in words if word.text]


async def test_words_come_as_they_are_written_and_never_half_a_character() -> None:
    fake = Fake([*"Grüße ☕!".encode(), IM_END])
    words = await written(engine(fake), MultimodalPrompt(("a",), "s"))
    assert "".join(words) == "Grüße ☕!"
    assert len(words) > 3
    assert not any("\ufffd" in word for word in words)


@pytest.mark.parametrize("first", [SILENT, IM_END])
async def test_silence_says_nothing(first: int) -> None:
    assert await written(engine(Fake([first])), MultimodalPrompt(("a",), "s")) == []


async def test_what_it_took_is_counted_the_silence_too() -> None:
    fake = Fake([SILENT])
    async with aclosing(engine(fake).generate("r", scenes(MultimodalPrompt(("abc", SECOND), "s")))) as words:
        ((text, usage),) = [(word.text, word.usage) async for word in words]
    assert (text, usage) == ("", TokenUsage(prompt=100, seen=SECOND.tokens, cached=60, written=1))


@pytest.mark.parametrize(("most", "finish_reason"), [(4, "length"), (5, "stop"), (6, "stop")])
async def test_the_last_piece_says_why_it_is_the_last(most: int, finish_reason: str) -> None:
    prompts = scenes(MultimodalPrompt(("a",), "s", max_tokens=most))
    async with aclosing(engine(Fake([*b"Yes.", IM_END])).generate("r", prompts)) as words:
        reasons = [word.finish_reason async for word in words]
    assert (reasons[-1], set(reasons[:-1])) == (finish_reason, {None})


async def test_a_prompt_has_the_ids_of_each_clip_and_its_pixels_under_its_name() -> None:
    fake = Fake([IM_END])
    await written(engine(fake), MultimodalPrompt(("ab", SECOND, "c", PICTURE), "caller"))
    ((_, sampling, chunk, priority),) = fake.request
    seen = (*b"<0.2 seconds>", BEGIN, *[VIDEO] * 4, END)
    assert chunk.token_ids == (97, 98, *seen, 99, *[IMAGE] * 64)
    (second, picture) = chunk.media
    assert (second.kind, second.name, second.at, second.tokens) == ("video", "caller/one", 2 + seen.index(VIDEO), 4)
    assert (picture.kind, picture.name, picture.at, picture.tokens) == ("image", "caller/two", 3 + len(seen), 64)
    assert chunk.cache_salt == "caller"
    assert (sampling.temperature, sampling.stop_token_ids) == (0.5, (IM_END, SILENT, IDS["<|endoftext|>"]))
    assert priority == Priority.QUESTION


def test_who_waits_goes_first_then_who_speaks_then_what_is_said_unasked_what_is_only_seen_and_what_is_pruned() -> None:
    asked = TurnRequest()
    unasked = TurnRequest(response_options=ResponseOptions(unasked=True))
    given = (Priority.QUESTION, Priority.PREFILL, Priority.SEEN, Priority.PRUNED)
    awaited, ahead, seen, pruned = (multimodal_prompt(unasked.unfinished(each)).priority for each in given)
    assert multimodal_prompt(asked).priority == awaited == 0, "vLLM serves the lower number first"
    assert ahead == multimodal_prompt(asked.unfinished()).priority
    assert awaited < ahead < multimodal_prompt(unasked).priority < seen < pruned


async def test_what_is_only_read_says_nothing() -> None:
    fake = Fake(b"no")
    assert await written(engine(fake), MultimodalPrompt(("a",), "s", 0, Priority.PREFILL)) == []
    ((_, _, chunk, priority),) = fake.request
    assert (chunk.max_tokens, priority) == (1, Priority.PREFILL)


async def test_what_is_said_unasked_is_a_request_of_its_priority() -> None:
    fake = Fake([65, IM_END])
    assert await written(engine(fake), MultimodalPrompt(("a",), "s", priority=Priority.OFFER)) == ["A"]
    ((*_, priority),) = fake.request
    assert priority == Priority.OFFER


async def test_of_several_prompts_each_is_a_request() -> None:
    fake = Fake([65, IM_END])
    assert await written(engine(fake), MultimodalPrompt(("a",), "s"), MultimodalPrompt(("b",), "s")) == ["A", "A"]
    assert [name for name, *_ in fake.request] == ["r.0", "r.1"]


async def test_a_prompt_that_is_too_long_is_refused_and_the_next_one_is_answered() -> None:
    aura, seen = engine(Fake([65, IM_END]), most=50), len("<0.2 seconds>") + 6
    with pytest.raises(EngineError, match="51 tokens, and at most 50"):
        await written(aura, MultimodalPrompt(("a" * (51 - seen), SECOND), "s"))
    assert await written(aura, MultimodalPrompt(("a" * (50 - seen), SECOND), "s")) == ["A"]


async def test_closing_closes_the_request() -> None:
    fake = Fake([65] * 100)

    async def prompts() -> AsyncGenerator[MultimodalPrompt, None]:
        yield MultimodalPrompt(("a",), "s")

    words = engine(fake).generate("r", prompts())
    await anext(words)
    await words.aclose()
    assert fake.closed == 1


async def test_what_would_change_the_pixels_that_vllm_is_given_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        await open_aura(tmp_path, model="m", max_sessions=1, mm_processor_kwargs={}, video_pruning_rate=0.5)
    reason = "cannot be set: clips are made ready for vLLM here"
    assert refused.value.faults == [f"`mm_processor_kwargs` {reason}", f"`video_pruning_rate` {reason}"]


def test_added_tokens_that_no_prompt_is_written_with_are_broken_up() -> None:
    text = AuraText(Bytes(), "test")
    assert bytes(text.ids("<|im_start|>user\n<tool_call> [INST]")) == b"<|im_start|>user\n<tool_call> [ INST]"


def test_a_tokenizer_of_another_model_is_refused_by_the_names_it_lacks() -> None:
    class Other(Bytes):
        def get_vocab(self) -> dict[str, Any]:
            return {name: number for name, number in IDS.items() if name != "<|silent|>"}

    with pytest.raises(ConfigError, match=r"<\|silent\|>"):
        AuraText(Other(), "test")


async def test_what_is_written_may_call_functions_and_what_is_only_prefilled_may_not() -> None:
    fake, tools = Fake([IM_END]), ToolOptions((FunctionTool("look"),))
    prompt = MultimodalPrompt(("a",), "s", tools=tools)
    await written(engine(fake), prompt, replace(prompt, max_tokens=0))
    assert [chunk.tools for *_, chunk, _ in fake.request] == [tools, ToolOptions()]
