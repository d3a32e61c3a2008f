"""The engine with its real process and a tiny checkpoint: what is heard is the decoder's wave, for everybody."""

import asyncio
import random
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from pipeline.deployment.loading import read_deployment
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.engines.code2wav.engine import Code2WavEngine
from pipeline.errors import ConfigError
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.processors.handover import talker2code2wav_async_chunk, talker2code2wav_token_only
from pipeline.turns.input_processor import input_processor
from pipeline.types.chunks import FRAME_SAMPLES, CodecChunk
from pipeline.types.turn_request import TurnRequest
from tests.pipeline.models.qwen3_tts import seeded_codec

torch = pytest.importorskip("torch", reason="the speech decoder needs torch, which the embedded profile has not")

from pipeline.models.qwen3_tts.codec.decoder import CodecDecoder, load_decoder  # noqa: E402
from pipeline.models.qwen3_tts.codec.past import Past  # noqa: E402
from pipeline.models.qwen3_tts.codec.streams import LOUDEST  # noqa: E402

BACKEND = ("asyncio", dict[str, Any]())  # one loop for the module, so that the process is started once
LARGEST_ERROR = 1e-4  # of the signal's rms, beside what rounding to PCM16 does


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return BACKEND


@pytest.fixture(scope="module")
async def engine(codec_checkpoint: Path, anyio_backend: object) -> AsyncGenerator[Code2WavEngine, None]:
    engine = await Code2WavEngine.open(codec_checkpoint, ramp=ChunkRamp(), slots=4)
    yield engine
    await engine.aclose()


async def spoken(engine: Code2WavEngine, *sentences: NDArray[np.int16]) -> bytes:
    """One request, its frames handed over one by one."""

    async def made() -> AsyncIterator[CodecChunk]:
        for codes in sentences:
            for frame in codes:
                yield CodecChunk(frame[None])
            yield CodecChunk(codes[:0], ends=True)

    chunks = talker2code2wav_async_chunk(made(), TurnRequest())
    return b"".join([audio.pcm async for audio in engine.generate("test", chunks)])


def expected(decoder: CodecDecoder, codes: NDArray[np.int16]) -> NDArray[np.float32]:
    wave: NDArray[np.float32] = decoder(torch.from_numpy(codes[None]).long(), Past(torch.zeros(1)))[0].numpy()
    return wave * LOUDEST


async def test_everybody_hears_the_wave_of_their_sentences(engine: Code2WavEngine, codec_checkpoint: Path) -> None:
    dice, everything = random.Random(2), seeded_codec.codes(600)
    requests = [
        [everything[at : at + dice.randint(1, 99)] for at in (start, start + 250)] for start in range(0, 300, 50)
    ]
    decoder = load_decoder(codec_checkpoint, torch.device("cpu"), torch.float32)
    for sentences, pcm in zip(
        requests, await asyncio.gather(*(spoken(engine, *each) for each in requests)), strict=True
    ):
        wave = np.concatenate([expected(decoder, codes) for codes in sentences])
        rms = np.sqrt(np.mean(np.square(wave)))
        assert rms > 0.05 * LOUDEST
        assert np.abs(np.frombuffer(pcm, "<i2") - wave).max() < 0.5 + LARGEST_ERROR * rms
    assert await engine.busy() == 0


@pytest.mark.parametrize("way", ["full payload", "token only"])
async def test_what_is_handed_over_complete_is_the_same_wave(
    engine: Code2WavEngine, codec_checkpoint: Path, tmp_path: Path, way: str
) -> None:
    """With `async_chunk: false`: no sound before the last frame is made, then all of it."""
    path, topology = tmp_path / "complete.yaml", AURA_OMNI_PIPELINE
    stages: list[Any] = [{"stage_id": id, "engine_args": {"gpu_memory_utilization": 0.2}} for id in range(4)]
    if way == "token only":
        name = talker2code2wav_token_only
        stages[3]["sync_process_input_func"] = f"{name.__module__}.{name.__qualname__}"
    path.write_text(yaml.safe_dump({"max_sessions": 1, "async_chunk": False, "stage_args": stages}))
    keys = {arch: kind.keys for arch, kind in PROFILES["vllm"].engines.items()}
    edge = read_deployment(path, topology, keys).stage(3).edge
    codes, made = seeded_codec.codes(80), list[int]()

    async def frames() -> AsyncIterator[CodecChunk]:
        for at, frame in enumerate(codes):
            made.append(at)
            yield CodecChunk(frame[None], "Hello." if at == 0 else "", ends=at == len(codes) - 1)

    prompts = input_processor(topology.stages[2], topology.stages[3], edge)(frames(), TurnRequest())
    sound = [(audio, len(made)) async for audio in engine.generate("complete", prompts)]
    wave = expected(load_decoder(codec_checkpoint, torch.device("cpu"), torch.float32), codes)
    pcm = np.frombuffer(b"".join(audio.pcm for audio, _ in sound), "<i2")
    rms = np.sqrt(np.mean(np.square(wave)))
    assert np.abs(pcm - wave).max() < 0.5 + LARGEST_ERROR * rms
    assert {known for _, known in sound} == {len(codes)}
    assert "".join(audio.text for audio, _ in sound) == "Hello."


async def test_a_damaged_checkpoint_is_refused_in_words(codec_checkpoint: Path, tmp_path: Path) -> None:
    shutil.copytree(codec_checkpoint, tmp_path, dirs_exist_ok=True)
    (tmp_path / "speech_tokenizer" / "model.safetensors").write_bytes(b"no")
    with pytest.raises(ConfigError, match="cannot be read"):
        await Code2WavEngine.open(tmp_path, ramp=ChunkRamp(), slots=1)


async def test_a_configuration_alone_can_be_run_with_dummy_weights(codec_checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "speech_tokenizer").mkdir()
    shutil.copy(codec_checkpoint / "speech_tokenizer" / "config.json", tmp_path / "speech_tokenizer")
    engine = await Code2WavEngine.open(tmp_path, ramp=ChunkRamp(), slots=1, load_format="dummy", dtype="bfloat16")
    assert len(await spoken(engine, seeded_codec.codes(5))) == 2 * 5 * FRAME_SAMPLES
    await engine.aclose()
