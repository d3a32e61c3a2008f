"""Qwen3-ASR as the pipeline runs it: windows in, transcripts out, vLLM in processes of its own. Times are real."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.asking.transcription import transcribe
from pipeline.engines.qwen3_asr.decode_passes import DecodePasses, Doubt
from pipeline.engines.qwen3_asr.engine import Qwen3AsrEngine
from pipeline.engines.qwen3_asr.setup import open_qwen3_asr
from pipeline.engines.qwen3_asr.speculative_decode import drafted
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.vllm.start import VllmBackend, start_vllm
from pipeline.errors import ConfigError, EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.qwen3_asr.media import engine_prompt
from pipeline.models.qwen3_asr.prompt import AsrPromptWriter
from pipeline.models.qwen3_asr.tokenizer import read_tokenizer
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling
from pipeline.types.chunks import AsrInput, Transcript
from tests.contract.embedded import MODULE_BACKEND, all_of
from tests.contract.vllm.hearing_cases import CASES, GOLDENS, MOST_TOKENS, Heard, sound
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.wire_wait import PATIENCE_S

pytestmark = pytest.mark.vllm

PIECE = 32_000  # samples that the official package takes at a time
STREAMED = [case for case in CASES if case.streamed and not case.context]
WHOLE = [case for case in CASES if not case.streamed]
ENDING = [case for case in CASES if case.seed in (103, 146)]  # these reach their end of their own accord
CODES = {"German": "de", "English": "en-US"}


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def folder(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_recogniser(tmp_path_factory.mktemp("qwen3_asr") / "tiny")


@dataclass(frozen=True)
class Opened:
    """
    Attributes:
        requests: What the recogniser asks.
    """

    recogniser: Qwen3AsrEngine
    requests: VllmBackend


@pytest.fixture(scope="module")
async def opened(folder: Path) -> AsyncIterator[Opened]:
    started = list[VllmBackend]()

    async def start(stage: str, model: Path, **engine_args: Any) -> VllmBackend:
        started.append(await start_vllm(stage, model, **engine_args))
        return started[-1]

    engine = await open_qwen3_asr(
        folder.parent, model=folder.name, max_sessions=4, dtype="float32", max_model_len=1024, start=start,
        sampling_defaults=SamplingDefaults(max_tokens=MOST_TOKENS), enforce_eager=True, block_size=32,
        distributed_executor_backend="uni",
    )  # fmt: skip
    yield Opened(engine, *started)
    await engine.aclose()


@pytest.fixture(scope="module")
def recogniser(opened: Opened) -> Qwen3AsrEngine:
    return opened.recogniser


def window(case: Heard) -> AsrInput:
    return AsrInput(case.pcm, CODES[case.language or ""], True, case.context)


def expected(case: Heard) -> Transcript:
    text = json.loads(GOLDENS.read_text())[CASES.index(case)]["text"]
    return Transcript(text, int(case.seconds * 1000), True, 0, case.language or "")


async def test_utterances_are_heard_as_the_official_package_does(recogniser: Qwen3AsrEngine) -> None:
    async with asyncio.TaskGroup() as tasks:
        heard = [tasks.create_task(all_of(recogniser, window(case))) for case in ENDING]
    assert [task.result() for task in heard] == [[expected(case)] for case in ENDING]
    assert not await recogniser.busy()


@pytest.mark.parametrize("wrong", [None, 0, 7, 19])
async def test_a_draft_is_read_in_one_step(opened: Opened, folder: Path, wrong: int | None) -> None:
    """What it has right is written at once, however much of the prompt was read before; and all is as without it."""
    case = WHOLE[0]
    tokens = json.loads(GOLDENS.read_text())[CASES.index(case)]["passes"][-1]["tokens"]
    tokenizer, ids = read_tokenizer(folder)
    passes = DecodePasses(AsrPromptWriter(tokenizer, ids.audio, case.context), 800, Doubt())
    request = passes.ask(AsrInput(case.pcm, None, True), case.language)
    token_ids, media = engine_prompt(request.prompt, request.windows)
    draft = [*tokens[:20]]
    if wrong is not None:
        draft[wrong] = draft[wrong] + 1
    chunk = PromptChunk(token_ids, MOST_TOKENS, media=media, cache_salt=f"draft {wrong}")
    sampling = RequestSampling(0, 0, 1, 1, ids.ends, whole=True)

    async def written(chunk: PromptChunk) -> list[tuple[int, ...]]:
        async with aclosing(drafted(opened.requests, "drafted", sampling, chunk)) as pieces:
            return [each.token_ids async for each in pieces]

    await written(replace(chunk, max_tokens=1))
    pieces = await written(replace(chunk, draft=tuple(draft)))
    assert [*chain(*pieces)] == tokens
    assert len(pieces[0]) > 20 if wrong is None else len(pieces[0]) == wrong + 1
    again = await written(replace(chunk, draft=tuple(draft)))  # the engine knows it, and tells nothing of it
    assert [*chain(*again)] == tokens


async def test_an_utterance_is_heard_piece_by_piece_as_the_official_package_streams(recogniser: Qwen3AsrEngine) -> None:
    case = STREAMED[0]
    heard = asyncio.Semaphore(1)

    async def windows() -> AsyncIterator[AsrInput]:
        for end in range(PIECE, len(case.pcm) + PIECE, PIECE):
            await heard.acquire()
            yield AsrInput(case.pcm[:end], CODES.get(case.language or ""), end >= len(case.pcm))

    texts = list[str]()
    async with aclosing(recogniser.generate("streamed", windows())) as transcripts:
        async for transcript in transcripts:
            texts.append(transcript.text)
            heard.release()
    assert texts[-1] == json.loads(GOLDENS.read_text())[CASES.index(case)]["text"]


async def test_closing_is_a_fence(recogniser: Qwen3AsrEngine) -> None:
    async def windows() -> AsyncIterator[AsrInput]:
        yield AsrInput(sound(1, 9.0), None, True)
        await asyncio.Event().wait()

    async def listen() -> None:
        async with aclosing(recogniser.generate("fenced", windows())) as transcripts:
            await anext(transcripts)

    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(listen())
        async with asyncio.timeout(PATIENCE_S):
            while not await recogniser.busy():  # noqa: ASYNC110 - it begins by itself
                await asyncio.sleep(0.005)
        listening.cancel()
        await asyncio.wait([listening])
        assert not await recogniser.busy()
    assert await all_of(recogniser, window(ENDING[0])) == [expected(ENDING[0])]


@pytest.mark.parametrize(
    ("pcm", "reason"),
    [
        (np.full(1_800 * SPEECH_RATE, 0.1, np.float32), "1800.0 s of sound at once; 35 s can be heard"),
        (np.full(SPEECH_RATE, np.nan, np.float32), "the sound holds values that are no numbers"),
    ],
)
async def test_what_cannot_be_heard_is_refused_and_the_next_turn_works(
    recogniser: Qwen3AsrEngine, pcm: np.ndarray[Any, np.dtype[np.float32]], reason: str
) -> None:
    with pytest.raises(EngineError) as error:
        await all_of(recogniser, AsrInput(pcm, "de", True))
    assert error.value.reason == reason
    assert await all_of(recogniser, window(ENDING[0])) == [expected(ENDING[0])]


@pytest.mark.parametrize("samples", [0, 1, 159, 3_000])
async def test_hardly_any_sound_is_heard_as_any_other(recogniser: Qwen3AsrEngine, samples: int) -> None:
    (transcript,) = await all_of(recogniser, AsrInput(sound(1, 1.0)[:samples], "de", True))
    assert transcript.audio_end_ms == samples * 1000 // SPEECH_RATE
    assert bool(transcript.text) is (samples > 0)


async def test_the_longest_window_is_heard(recogniser: Qwen3AsrEngine) -> None:
    pcm = np.tile(sound(2, 12.0), 3)[: 35 * SPEECH_RATE]
    (transcript,) = await all_of(recogniser, AsrInput(pcm, "de", True))
    assert transcript.audio_end_ms == 35_000


async def test_a_file_is_transcribed_with_its_timings(recogniser: Qwen3AsrEngine) -> None:
    told = list[str]()
    heard = await transcribe(sound(3, 5.0), "de", recogniser, told.append)
    assert heard.text == told[0]
    assert (heard.language, heard.sound_s) == ("German", 5.0)
    assert 0 < heard.tail_s < heard.taken_s


async def test_a_checkpoint_with_other_weights_is_refused_by_their_names(folder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    shutil.copytree(folder, tmp_path / "holed")
    file = tmp_path / "holed" / "model.safetensors"
    weights = load_file(file)
    del weights["thinker.audio_tower.layers.1.fc1.bias"], weights["thinker.model.norm.weight"]
    save_file(weights | {"thinker.more.weight": weights["thinker.model.embed_tokens.weight"]}, file)
    with pytest.raises(ConfigError) as error:
        await open_qwen3_asr(tmp_path, model="holed", max_sessions=1)
    assert error.value.faults == [
        "weights missing: thinker.audio_tower.layers.1.fc1.bias, thinker.model.norm.weight",
        "weights that nothing uses: thinker.more.weight",
    ]
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ConfigError, match=r"model\.safetensors: cannot be read"):
        await open_qwen3_asr(tmp_path, model="holed", max_sessions=1)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"language": "xx"}, "`language` is 'xx', not one of Cantonese, Chinese, English, German or `auto`"),
        ({"context": "Ada<|im_end|>"}, "`context` holds the name of a token"),
        ({"context": "Ada\udcff"}, "`context` holds half a character"),
        ({"context": "#" * 4_000}, "`context` has 4,000 tokens: of 4,096 too few are left to hear 28.5 s at once"),
    ],
)
async def test_settings_that_are_wrong_are_named(folder: Path, settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ConfigError) as error:
        await open_qwen3_asr(folder.parent, model=folder.name, max_sessions=1, **settings)
    assert error.value.faults == [fault]


@pytest.mark.parametrize(
    ("file", "change", "fault"),
    [
        ("config.json", {"model_type": "llama"}, "`model_type` is 'llama', not `qwen3_asr`"),
        ("config.json", {"thinker_config": {}}, "`thinker_config.audio_config` is missing, or not an object"),
        ("preprocessor_config.json", {"hop_length": 80}, "it asks for another spectrum"),
        ("tokenizer_config.json", {"added_tokens_decoder": {}}, "`audio_token_id` is 287, but the tokenizer says "),
    ],
)
async def test_another_kind_of_checkpoint_is_refused(
    folder: Path, tmp_path: Path, file: str, change: dict[str, Any], fault: str
) -> None:
    shutil.copytree(folder, tmp_path / "other")
    raw = json.loads((folder / file).read_text())
    (tmp_path / "other" / file).write_text(json.dumps(raw | change))
    with pytest.raises(ConfigError) as error:
        await open_qwen3_asr(tmp_path, model="other", max_sessions=1)
    assert error.value.faults[0].startswith(fault)
