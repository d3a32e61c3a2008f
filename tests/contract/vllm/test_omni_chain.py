"""The stages of Qwen3-Omni, each in processes of its own, sound together as the official model. Times are real."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.code2wav.chunk_ramp import WHOLE, ChunkRamp, FrameChunker
from pipeline.engines.code2wav.engine import Code2WavEngine
from pipeline.engines.qwen3_omni.prompt import OmniPrompt
from pipeline.engines.qwen3_omni.setup import open_omni_talker, open_thinker
from pipeline.engines.qwen3_omni.talker import OmniTalkerEngine
from pipeline.engines.qwen3_omni.thinker import ThinkerEngine
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.aura.media import PATCH_PX, patches
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.media import engine_prompt
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.qwen3_tts.codec.streams import LOUDEST
from pipeline.models.qwen3_tts.extra_args import Choice
from pipeline.topology.processors.qwen3_omni import thinker2talker
from pipeline.types.chunks import CodecChunk
from pipeline.types.turn_request import TurnRequest
from tests.contract.embedded import MODULE_BACKEND, once
from tests.contract.vllm.sounds import NOISE, spectrum
from tests.contract.vllm.talking import FRAMES, OfficialAnswer, official_answer
from tests.contract.vllm.thinking import TOKENS
from tests.contract.vllm.tiny_omni import official, write_omni
from tests.contract.wire_wait import PATIENCE_S

pytestmark = pytest.mark.vllm

RAMP = ChunkRamp((4, 8))  # `initial_codec_chunk_frames` 4, then `codec_chunk_frames` 8: an answer may end at either
ENGINE: dict[str, Any] = {
    "dtype": "float32", "enforce_eager": True, "block_size": 32, "max_num_batched_tokens": 64, "max_sessions": 4,
    "hidden_state_rows": 512,
}  # fmt: skip
LONG: dict[str, Any] = {"kv_cache_memory_bytes": 192 << 20}
ANSWER = "<|im_end|>\n<|im_start|>assistant\n"
SOUND = SpokenSound("noise", len(NOISE.pcm), NOISE.pcm)
CHANCE = np.random.default_rng(5)
PICTURE = VideoChunk("picture", tuple(CHANCE.integers(0, 256, (1, 96, 128, 3), np.uint8)))
SECOND = VideoChunk("second", tuple(CHANCE.integers(0, 256, (2, 64, 96, 3), np.uint8)))
LARGEST_ERROR = 1e-3  # of the signal's rms, beside what rounding to PCM16 does


@dataclass
class Chain:
    """The three engines, and what passed from one to another."""

    thinker: ThinkerEngine
    talker: OmniTalkerEngine
    code2wav: Code2WavEngine
    tokens: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    async def streamed(self, name: str, prompt: OmniPrompt) -> bytes:
        """Each stage reads what the one before it makes, as it is made."""
        async with aclosing(self._thoughts(name, prompt)) as thoughts:
            return await self._sound(name, thoughts, RAMP)

    async def whole(self, name: str, prompt: OmniPrompt) -> bytes:
        """Each stage begins when the one before it has ended."""
        thoughts = [thought async for thought in self._thoughts(name, prompt)]
        return await self._sound(name, once(*thoughts), WHOLE)

    async def _thoughts(self, name: str, prompt: OmniPrompt) -> AsyncGenerator[ThoughtChunk, None]:
        async with (
            aclosing(self.thinker.generate(name, once(prompt))) as pieces,
            aclosing(thinker2talker(pieces, TurnRequest())) as thoughts,
        ):
            async for thought in thoughts:
                self.tokens += thought.token_ids
                yield thought

    async def _sound(self, name: str, thoughts: AsyncIterator[ThoughtChunk], ramp: ChunkRamp) -> bytes:
        async with (
            aclosing(self.talker.generate(name, thoughts)) as codes,
            aclosing(self.code2wav.generate(name, self._chunks(codes, ramp))) as sound,
        ):
            return b"".join([audio.pcm async for audio in sound])

    async def _chunks(self, codes: AsyncIterator[CodecChunk], ramp: ChunkRamp) -> AsyncIterator[CodecChunk]:
        chunker = FrameChunker(ramp)
        async for each in codes:
            for chunk in chunker.feed(each):
                self.sizes.append(len(chunk.frames))
                yield chunk


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_omni(tmp_path_factory.mktemp("models") / "qwen3_omni")


@pytest.fixture(scope="module")
async def chain(folder: Path, anyio_backend: object) -> AsyncGenerator[Chain, None]:
    models, name = folder.parent, folder.name
    thinker = await open_thinker(models, model=name, sampling_defaults=SamplingDefaults(), **ENGINE, **LONG)
    greedy = SamplingDefaults(repetition_penalty=1.05, max_tokens=FRAMES - 1)
    talker = await open_omni_talker(
        models, model=name, voice="Ethan", sampling_defaults=greedy, code_draws=Choice(0.0), max_model_len=512, **ENGINE
    )
    code2wav = await Code2WavEngine.open(folder, ramp=RAMP, slots=4)
    yield Chain(thinker, talker, code2wav)
    for engine in (code2wav, talker, thinker):
        await engine.aclose()


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return official(folder)


def asked(text: str, *media: SpokenSound | VideoChunk) -> OmniPrompt:
    marks = {SpokenSound: ("<|audio_start|>", "<|audio_end|>"), VideoChunk: ("<|vision_start|>", "<|vision_end|>")}
    shown = [part for each in media for part in (marks[type(each)][0], each, marks[type(each)][1])]
    parts = ("<|im_start|>system\nbe nice<|im_end|>\n<|im_start|>user\n", *shown, f"{text}{ANSWER}")
    return OmniPrompt(parts, "test", TOKENS)


def ids_of(folder: Path, prompt: OmniPrompt) -> list[int]:
    """The prompt as the engine reads it."""
    config = read_omni(folder)
    return list(engine_prompt(prompt.parts, OmniText.read(folder, config), config, "test")[0])


def assert_sounds_as(pcm: bytes, expected: OfficialAnswer) -> None:
    wave: NDArray[np.float32] = expected.wave * LOUDEST
    samples = np.frombuffer(pcm, "<i2")
    assert len(samples) == len(wave), "nothing twice, nothing lost"
    assert np.abs(samples - wave).max() < 0.5 + LARGEST_ERROR * np.sqrt(np.mean(np.square(wave)))
    assert np.abs(samples).max() > 1_000


async def test_streamed_and_whole_answers_sound_as_the_official_model(chain: Chain, folder: Path, model: Any) -> None:
    prompt = asked("what is the weather like today, and what will it be tomorrow?")
    expected = official_answer(model, ids_of(folder, prompt))
    chain.sizes.clear()
    assert_sounds_as(await chain.streamed("streamed", prompt), expected)
    assert chain.sizes[0] == 4 and 4 < max(chain.sizes) <= 8  # words that are written late begin a chunk of their own
    assert sum(chain.sizes) == len(expected.codes)
    chain.tokens.clear()
    assert_sounds_as(await chain.whole("whole", prompt), expected)
    assert chain.tokens == expected.tokens


async def test_what_was_heard_and_seen_passes_from_one_engine_to_the_other(
    chain: Chain, folder: Path, model: Any
) -> None:
    spoken, written = asked("what is this?", SOUND), asked("hello there")
    expected = official_answer(model, ids_of(folder, spoken), **spectrum())
    other = official_answer(model, ids_of(folder, written))
    async with asyncio.TaskGroup() as group:
        sound = group.create_task(chain.streamed("sound", spoken))
        text = group.create_task(chain.streamed("text", written))
    assert_sounds_as(sound.result(), expected)
    assert_sounds_as(text.result(), other)
    assert_sounds_as(await chain.whole("again", spoken), expected)  # out of the prefix cache
    shown = asked("and there?", PICTURE, SECOND)
    assert_sounds_as(await chain.streamed("seen", shown), official_answer(model, ids_of(folder, shown), **pixels()))


async def test_an_answer_that_is_cancelled_leaves_nothing_in_any_engine(chain: Chain) -> None:
    chain.sizes.clear()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        task = group.create_task(chain.streamed("cancelled", asked("and this?", SOUND)))
        while not chain.sizes:  # noqa: ASYNC110 - until it speaks
            await asyncio.sleep(0.01)
        task.cancel()
    assert task.cancelled()
    assert [await engine.busy() for engine in (chain.thinker, chain.talker, chain.code2wav)] == [0, 0, 0]
    assert chain.thinker.rows_held == chain.talker.rows_held == 0


def pixels() -> dict[str, Any]:
    """A picture and a second of video as the official model is given them: numbers from -1 to 1, patch by patch."""
    import torch

    given: dict[str, Any] = {"video_second_per_grid": torch.tensor([1.0])}
    for clip, name, grid in (
        (PICTURE, "pixel_values", "image_grid_thw"),
        (SECOND, "pixel_values_videos", "video_grid_thw"),
    ):
        height, width = clip.size
        given[name] = torch.from_numpy(patches(clip.frames).astype(np.float32) / 127.5 - 1)
        given[grid] = torch.tensor([[1, height // PATCH_PX, width // PATCH_PX]])
    return given
