"""Qwen3-ASR as an engine, with a fake below it: which passes are made, which are dropped, what is refused."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from pipeline.engines.qwen3_asr.decode_passes import DecodePasses, Doubt
from pipeline.engines.qwen3_asr.engine import Extent, Qwen3AsrEngine, Qwen3AsrEngineSettings
from pipeline.engines.qwen3_asr.setup import context_bytes, longest
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.errors import EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.qwen3_asr.prompt import AsrPrompt, AsrPromptWriter
from pipeline.models.qwen3_asr.windows import EncoderWindow
from pipeline.models.shared.engine_io import EngineOutput, MediaItem, PromptChunk, RequestSampling
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.types.chunks import AsrInput, DraftOutcome, Transcript
from pipeline.types.hypothesis import Hypothesis
from tests.pipeline.runtime.letters import Letters, id_of
from tests.tidy import nothing_left

STOPS = (id_of("<|im_end|>"),)
PASS_S, FENCE_S = 0.3, 0.01


@dataclass
class FakeAnswers:
    """Writes `text` up to the letter that the sound reaches, at ten letters a second, `PASS_S` after it was asked.

    Attributes:
        passes: When each began and ended, and whether it was dropped.
        priorities, samplings: Of each part.
    """

    text: str = "one two three four five six seven eight nine ten eleven twelve"
    fails: int = -1
    running: int = 0
    most: int = 0
    parts: list[PromptChunk] = field(default_factory=list)
    passes: list[tuple[float, float, bool]] = field(default_factory=list)
    priorities: list[int] = field(default_factory=list)
    samplings: list[RequestSampling] = field(default_factory=list)

    async def answer(
        self, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        clock = asyncio.get_running_loop().time
        began, dropped = clock(), True
        self.running += 1
        self.most = max(self.most, self.running)
        self.parts.append(chunk)
        self.priorities.append(priority)
        self.samplings.append(sampling)
        try:
            await asyncio.sleep(PASS_S)
            if len(self.parts) - 1 == self.fails:
                raise EngineError("asr", "a request was not served: no")
            prompt = Letters().decode(list(chunk.token_ids))
            prefix = prompt.rpartition("<asr_text>")[2]
            heard = self.text[: len(chunk.media[0].item()) // 10]
            assert heard.startswith(prefix)
            ids, read = tuple(Letters().encode(heard[len(prefix) :] + "<|im_end|>")), len(chunk.draft)
            yield EngineOutput(ids[read:], (), True, True, likeliest=ids[:read])
            dropped = False
        finally:
            if dropped:
                await asyncio.sleep(FENCE_S)
            self.running -= 1
            self.passes.append((round(began, 3), round(clock(), 3), dropped))

    async def died(self) -> None:
        """Never."""
        await asyncio.Event().wait()

    async def busy(self) -> int:
        return self.running

    async def aclose(self) -> None:
        assert not self.running


def engine(fake: FakeAnswers) -> Qwen3AsrEngine:
    return Qwen3AsrEngine(fake, engine_settings())


def engine_settings(longest_ms: int = 60_000) -> Qwen3AsrEngineSettings:
    writer = AsrPromptWriter(Letters(), id_of("<|audio_pad|>"))
    passes = partial(DecodePasses, writer, 800, Doubt(all_ms=1_000))

    def prompt(prompt: AsrPrompt, windows: Sequence[EncoderWindow]) -> tuple[tuple[int, ...], tuple[MediaItem, ...]]:
        return prompt.token_ids, tuple(
            MediaItem("audio", each.name, prompt.audio_at, 1, partial(made, each)) for each in windows
        )

    def made(window: EncoderWindow) -> EncoderWindow:
        return window

    return Qwen3AsrEngineSettings(
        "tiny", passes, prompt, SamplingDefaults(), STOPS, Extent(longest_ms), ("English", "German"), "English"
    )


def sound(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.full(int(seconds * SPEECH_RATE), 0.1, np.float32)


@pytest.mark.parametrize(("max_model_len", "left"), [(4_096, 1_000), (1_024, 165), (860, 1), (400, 0)])
def test_what_a_caller_tells_leaves_room_to_hear(max_model_len: int, left: int) -> None:
    assert context_bytes(max_model_len, 18) == left
    if left:
        assert longest(max_model_len, 18 + left).longest_ms >= 28_500


async def given(*windows: AsrInput, at: tuple[float, ...] = ()) -> AsyncGenerator[AsrInput, None]:
    for i, window in enumerate(windows):
        if at:
            await asyncio.sleep(at[i] - asyncio.get_running_loop().time())
        yield window


async def heard(engine: Qwen3AsrEngine, *windows: AsrInput, at: tuple[float, ...] = ()) -> list[Transcript]:
    return [each async for each in engine.generate("s.1:asr", given(*windows, at=at))]


async def test_a_prompt_that_cannot_be_made_fails_the_pass_and_nobody_waits_for_it() -> None:
    def breaks(prompt: AsrPrompt, windows: Sequence[EncoderWindow]) -> tuple[tuple[int, ...], tuple[MediaItem, ...]]:
        raise ValueError

    asr = Qwen3AsrEngine(FakeAnswers(), replace(engine_settings(), prompt=breaks))
    with pytest.raises(EngineError, match="a pass failed"):
        await heard(asr, AsrInput(sound(1.0), None, settles=True))


async def test_passes_are_made_one_after_the_other_each_on_what_stands() -> None:
    fake = FakeAnswers()
    transcripts = await heard(engine(fake), *(AsrInput(sound(s), None, False) for s in (1, 2, 3)))
    assert [each.text for each in transcripts] == [fake.text[:10].strip(), fake.text[:20], fake.text[:30].strip()]
    assert fake.passes == [(0.0, 0.3, False), (0.3, 0.6, False), (0.6, 0.9, False)]
    assert fake.most == 1
    assert {chunk.cache_salt for chunk in fake.parts} == {"s.1:asr"}


async def test_a_pass_that_settles_goes_before_those_over_unfinished_speech_of_other_callers() -> None:
    fake = FakeAnswers()
    recogniser = engine(fake)

    async def caller(name: str, at: float, *, settles: bool) -> None:
        await asyncio.sleep(at)
        windows = given(AsrInput(sound(1), None, settles))
        async for _ in recogniser.generate(name, windows):
            """Only when is of interest."""

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(caller("a", 0.0, settles=True))
        tasks.create_task(caller("b", 0.1, settles=False))
        tasks.create_task(caller("c", 0.2, settles=True))
    assert fake.passes == [(0.0, 0.3, False), (0.2, 0.5, False), (0.5, 0.8, False)]
    assert fake.priorities == [0, 0, 1]
    assert all(each.whole for each in fake.samplings), "nobody reads the half of a pass"


async def test_each_transcript_tells_what_became_of_its_draft() -> None:
    fake = FakeAnswers()
    transcripts = await heard(engine(fake), *(AsrInput(sound(s), None, False) for s in (1, 2, 3)))
    given = [len(chunk.draft) for chunk in fake.parts]
    assert [each.draft for each in transcripts] == [None, *(DraftOutcome(tokens, tokens) for tokens in given[1:])]
    assert min(given[1:]) > 0


async def test_a_pass_over_unfinished_speech_is_dropped_for_one_that_settles() -> None:
    fake = FakeAnswers()
    transcripts = await heard(
        engine(fake), AsrInput(sound(1), None, False), AsrInput(sound(2), None, True), at=(0, 0.1)
    )
    assert [each.settles for each in transcripts] == [True]
    assert fake.passes == [(0.0, 0.11, True), (0.1, 0.4, False)], "which does not wait until vLLM has let go of it"


async def test_a_pass_that_settles_is_always_made() -> None:
    fake = FakeAnswers()
    windows = [AsrInput(sound(1), None, True), AsrInput(sound(2), None, True), AsrInput(sound(2.5), None, False)]
    transcripts = await heard(engine(fake), *windows, at=(0, 0.1, 0.2))
    assert [each.audio_end_ms for each in transcripts] == [1000, 2000, 2500]


async def test_closing_drops_the_pass_and_waits_for_it() -> None:
    fake = FakeAnswers()
    recogniser = engine(fake)

    async def forever() -> AsyncGenerator[AsrInput, None]:
        yield AsrInput(sound(1), None, True)
        yield AsrInput(sound(2), None, True)
        await asyncio.Event().wait()

    async def leave() -> None:
        async with aclosing(forever()) as windows, aclosing(recogniser.generate("r", windows)) as transcripts:
            async for _ in transcripts:
                pass

    with nothing_left():
        async with asyncio.TaskGroup() as tasks:
            leaving = tasks.create_task(leave())
            await asyncio.sleep(0.4)
            leaving.cancel()
        assert not await recogniser.busy()
    assert fake.passes == [(0.0, 0.3, False), (0.3, 0.41, True)]


async def test_a_generator_that_is_left_drops_what_it_looked_ahead_for() -> None:
    fake = FakeAnswers()
    with nothing_left():
        windows = given(AsrInput(sound(1), None, True), AsrInput(sound(2), None, True))
        async with aclosing(windows), aclosing(engine(fake).generate("r", windows)) as transcripts:
            assert (await anext(transcripts)).text == fake.text[:10].strip()
    assert len(fake.passes) == 1


@pytest.mark.parametrize(
    ("window", "reason"),
    [
        (AsrInput(sound(70), None, True), "70.0 s of sound at once; 60 s can be heard"),
        (AsrInput(np.array([0.1, np.nan, 0.1], np.float32), None, True), "the sound holds values that are no numbers"),
        (AsrInput(sound(1), "xx", True), "the language `xx` is not one that the recogniser knows (English, German)"),
    ],
)
async def test_what_cannot_be_heard_is_an_error_and_the_next_turn_works(window: AsrInput, reason: str) -> None:
    recogniser = engine(FakeAnswers())
    with pytest.raises(EngineError) as error:
        await heard(recogniser, window)
    assert error.value.reason == reason
    assert len(await heard(recogniser, AsrInput(sound(1), "de-AT", True))) == 1


async def test_no_sound_is_no_words_and_no_pass() -> None:
    fake = FakeAnswers()
    assert await heard(engine(fake), AsrInput(sound(0), None, True)) == [Transcript("", 0, True)]
    assert fake.parts == []


async def test_an_error_of_the_engine_ends_the_utterance_and_spares_the_next() -> None:
    fake = FakeAnswers(fails=0)
    recogniser = engine(fake)
    with pytest.raises(EngineError, match="a request was not served"):
        await heard(recogniser, AsrInput(sound(1), None, True))
    assert len(await heard(recogniser, AsrInput(sound(1), None, True))) == 1


async def test_the_language_is_the_windows_or_the_deployments() -> None:
    fake = FakeAnswers()
    await heard(engine(fake), AsrInput(sound(1), None, True), AsrInput(sound(1), "de", True))
    prompts = [Letters().decode(list(chunk.token_ids)) for chunk in fake.parts]
    assert [prompt.rpartition("assistant\n")[2].partition("<")[0] for prompt in prompts] == [
        "language English",
        "language German",
    ]


async def test_a_person_is_heard_while_they_speak_and_only_the_tail_is_left_at_the_end() -> None:
    fake = FakeAnswers()
    transcriber = StreamingTranscriber(None, partial_ms=500)
    hypotheses: list[tuple[float, Hypothesis]] = []
    clock = asyncio.get_running_loop().time

    async def listen() -> None:
        async for hypothesis in transcriber.listen(engine(fake), "r"):
            hypotheses.append((round(clock(), 3), hypothesis))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(listen())
        transcriber.resume()
        for _ in range(31):
            await asyncio.sleep(0.1)
            transcriber.add(sound(0.1))
        transcriber.pause()  # in the middle of a pass
        began = clock()
        await asyncio.sleep(0.2)
        transcriber.commit()
    assert [round(at - began, 3) for at, _ in hypotheses][-1] == PASS_S
    last = hypotheses[-1][1]
    assert last == Hypothesis(fake.text[:31].strip(), True, 3_100, last.stable_chars, "en")
    for (_, before), (_, after) in pairwise(hypotheses):
        assert after.text.startswith(before.text[: before.stable_chars])
    assert len(hypotheses) >= 5
    assert sum(dropped for *_, dropped in fake.passes) == 1
