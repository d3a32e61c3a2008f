"""The engine and its process: whose sound is whose, aborts as fences, and a process that dies. In real time."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.base import Engine
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.engines.code2wav.engine import SMALL, Code2WavEngine, pieces
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES, AudioChunk, CodecChunk
from tests.pipeline.engines.code2wav.fake_child import DIES, ENTRIES, SLOW, SLOW_S
from tests.supervised import supervised

FAKE = (sys.executable, "-m", "tests.pipeline.engines.code2wav.fake_child")
SLOTS = 4


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@pytest.fixture
async def engine() -> AsyncGenerator[Code2WavEngine, None]:
    engine = await opened("/")
    yield engine
    await engine.aclose()


async def opened(folder: str) -> Code2WavEngine:
    return await Code2WavEngine.open(Path(folder), ramp=ChunkRamp(), slots=SLOTS, child=FAKE)


def frames(count: int, code: int = 0) -> NDArray[np.int16]:
    return np.full((count, CODEBOOKS), code, np.int16)


async def sent(*prompts: CodecChunk) -> AsyncIterator[CodecChunk]:
    for prompt in prompts:
        yield prompt


async def heard(engine: Engine[CodecChunk, AudioChunk], *prompts: CodecChunk) -> list[AudioChunk]:
    async with asyncio.timeout(30):
        return [audio async for audio in engine.generate("test", sent(*prompts))]


def samples(chunks: list[AudioChunk]) -> list[int]:
    """One of each frame."""
    pcm = np.frombuffer(b"".join(chunk.pcm for chunk in chunks), "<i2").reshape(-1, FRAME_SAMPLES)
    assert (pcm == pcm[:, :1]).all()
    return [int(sample) for sample in pcm[:, 0]]


async def test_a_stream_goes_on_until_its_sentence_ends(engine: Code2WavEngine) -> None:
    one, two = CodecChunk(frames(30, 100), "One."), CodecChunk(frames(3, 200), ends=True)
    chunks = await heard(engine, one, two, CodecChunk(frames(2, 300), "Two."))
    assert samples(chunks) == [*range(100, 130), *range(230, 233), 300, 301]
    assert [chunk.text for chunk in chunks if chunk.text] == ["One.", "Two."]
    assert chunks[0].text == "One."


async def test_a_text_without_speech_is_passed_on(engine: Code2WavEngine) -> None:
    chunks = await heard(engine, CodecChunk(frames(0), "😀", ends=True))
    assert [(chunk.pcm, chunk.text) for chunk in chunks] == [(b"", "😀")]


async def test_no_prompt_yields_nothing(engine: Code2WavEngine) -> None:
    assert await heard(engine) == []


async def test_many_requests_at_once_each_hear_their_own(engine: Code2WavEngine) -> None:
    """Twenty for four slots: who has none waits."""
    dice = random.Random(3)
    sizes = [[dice.randint(1, 40) for _ in range(dice.randint(1, 6))] for _ in range(20)]
    requests = (heard(engine, *(CodecChunk(frames(size, 90 * at)) for size in each)) for at, each in enumerate(sizes))
    for at, chunks in enumerate(await asyncio.gather(*requests)):
        assert samples(chunks) == [90 * at + place for place in range(sum(sizes[at]))]


async def test_closing_returns_when_the_process_is_idle(engine: Code2WavEngine) -> None:
    clock = asyncio.get_running_loop().time
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        speaking = tasks.create_task(heard(engine, CodecChunk(frames(1, SLOW))))
        await asyncio.sleep(0.1)
        began = clock()
        speaking.cancel()
        await asyncio.wait([speaking])
        assert clock() - began > 0.1, "it waited for the batch that was being decoded"
    assert await engine.busy() == 0


async def test_nothing_of_an_aborted_request_is_heard_by_the_next_one_in_its_slot(engine: Code2WavEngine) -> None:
    for _ in range(2 * SLOTS):
        chunks = engine.generate("aborted", sent(CodecChunk(frames(3, 500)), CodecChunk(frames(25, SLOW))))
        async with aclosing(chunks):
            await anext(chunks)
        assert samples(await heard(engine, CodecChunk(frames(2, 7)))) == [7, 8]


async def test_a_chunk_that_comes_late_is_decoded_all_the_same(engine: Code2WavEngine) -> None:
    async def late() -> AsyncIterator[CodecChunk]:
        yield CodecChunk(frames(1))
        await asyncio.sleep(0.3)
        yield CodecChunk(frames(1))

    async with asyncio.timeout(10):
        assert samples([audio async for audio in engine.generate("late", late())]) == [0, 1]


async def test_a_code_out_of_range_fails_its_request_only(engine: Code2WavEngine) -> None:
    for code in (-1, ENTRIES):
        with pytest.raises(EngineError, match="a code is not in"):
            await heard(engine, CodecChunk(frames(1, code)))
    assert samples(await heard(engine, CodecChunk(frames(1, 5)))) == [5]


async def test_a_process_that_dies_fails_all_its_requests_and_those_that_come_later(engine: Code2WavEngine) -> None:
    deadly = heard(engine, CodecChunk(frames(1, SLOW)), CodecChunk(frames(1, DIES)))
    beside = [heard(engine, *(CodecChunk(frames(1, SLOW)) for _ in range(9))) for _ in range(SLOTS - 1)]
    waiting = [heard(engine, CodecChunk(frames(2, 70))) for _ in range(SLOTS + 2)]
    async with asyncio.timeout(10):
        results = await asyncio.gather(deadly, *beside, *waiting, return_exceptions=True)
        assert {type(result) for result in results} == {EngineError}
        with pytest.raises(EngineError, match="has ended"):
            await heard(engine, CodecChunk(frames(1, 5)))
        await engine.died()
        assert await engine.busy() == 0


async def test_a_process_that_is_killed_is_not_ready_at_once_and_another_is_warm_before_anybody_meets_it(
    tmp_path: Path,
) -> None:
    decoded = tmp_path / "decoded"
    decoded.touch()
    async with supervised("code2wav", partial(opened, str(tmp_path))) as it:
        assert await it.ready() == (200, {"ready": True, "busy": {"code2wav": 0}, "restarts": {"code2wav": 0}})
        first, sizes = pid_of(decoded), sizes_in(decoded)
        os.kill(first, signal.SIGKILL)
        body = await it.until(503, within_s=1.0)
        assert body == {"ready": False, "away": ["code2wav"], "restarts": {"code2wav": 0}}
        with pytest.raises(EngineError, match="code2wav: the engine has died and is being started again"):
            await heard(it.engine, CodecChunk(frames(1, 5)))
        decoded.write_text("")
        assert (await it.until(200))["restarts"] == {"code2wav": 1}
        assert sizes_in(decoded) == sizes == sorted({*SMALL, *ChunkRamp().sizes}, reverse=True)
        assert pid_of(decoded) != first
        assert samples(await heard(it.engine, CodecChunk(frames(1, 5)))) == [5]


async def test_a_process_that_hangs_is_ended_and_another_serves(tmp_path: Path) -> None:
    decoded = tmp_path / "decoded"
    decoded.touch()
    async with supervised("code2wav", partial(opened, str(tmp_path))) as it, asyncio.TaskGroup() as tasks:
        hung = tasks.create_task(failed(it.engine, *(CodecChunk(frames(1, SLOW)) for _ in range(9))))
        await asyncio.sleep(SLOW_S)
        os.kill(pid_of(decoded), signal.SIGSTOP)
        assert (await it.until(503))["away"] == ["code2wav"]
        assert "has ended" in await hung
        await it.until(200)
        assert samples(await heard(it.engine, CodecChunk(frames(1, 5)))) == [5]


async def test_a_request_of_a_process_that_has_died_does_not_go_on_in_the_next_one() -> None:
    """Its past is gone: it would be heard as a crack."""
    told = asyncio.Event()

    async def prompts() -> AsyncIterator[CodecChunk]:
        yield CodecChunk(frames(1))
        await told.wait()
        yield CodecChunk(frames(1))

    async with (
        asyncio.timeout(10),
        supervised("code2wav", partial(opened, "/")) as it,
        aclosing(it.engine.generate("old", prompts())) as chunks,
    ):
        await anext(chunks)
        assert "has ended" in await failed(it.engine, CodecChunk(frames(1, DIES)))
        await it.until(200)
        assert samples(await heard(it.engine, CodecChunk(frames(1, 5)))) == [5]
        told.set()
        with pytest.raises(EngineError, match="has ended"):
            await anext(chunks)


async def test_a_process_that_does_not_start_again_is_tried_until_it_does(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    async with supervised("code2wav", partial(opened, str(folder))) as it:
        folder.rmdir()
        await failed(it.engine, CodecChunk(frames(1, DIES)))
        await it.until(503)
        await asyncio.sleep(1.0)
        assert (await it.ready())[0] == 503
        folder.mkdir()
        await it.until(200)
        assert samples(await heard(it.engine, CodecChunk(frames(1, 5)))) == [5]


async def failed(engine: Engine[CodecChunk, AudioChunk], *prompts: CodecChunk) -> str:
    """Why a request was not served."""
    with pytest.raises(EngineError) as error:
        await heard(engine, *prompts)
    return str(error.value)


def pid_of(decoded: Path) -> int:
    """Of the process that has decoded last."""
    return int(decoded.read_text().splitlines()[-1].split()[0])


def sizes_in(decoded: Path) -> list[int]:
    """Frames of each chunk that was decoded."""
    return [int(line.split()[1]) for line in decoded.read_text().splitlines()]


async def test_what_cannot_be_loaded_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no such folder"):
        await opened("/nowhere")


async def test_settings_that_it_does_not_know_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="`dtype` is 'float8'") as refused:
        await Code2WavEngine.open(Path("x"), ramp=ChunkRamp(), slots=1, dtype="float8", load_format="magic", child=FAKE)
    assert len(refused.value.faults) == 2


async def test_a_process_that_does_not_start_is_an_error() -> None:
    with pytest.raises(EngineError, match="has ended"):
        await Code2WavEngine.open(Path("x"), ramp=ChunkRamp(), slots=1, child=(sys.executable, "-c", "pass"))


async def test_the_process_ends_with_the_engine_even_while_it_computes() -> None:
    engine = await opened("/")
    chunks = engine.generate("test", sent(*(CodecChunk(frames(1, SLOW)) for _ in range(100))))
    await anext(chunks)
    async with asyncio.timeout(2):
        await engine.aclose()
        with pytest.raises(EngineError):
            await anext(chunks)


@pytest.mark.parametrize("ends", [False, True])
def test_any_tail_is_made_of_sizes_that_have_graphs(ends: bool) -> None:
    sizes = (25, 12, 8, 4, 2, 1)
    for count in range(200):
        cut = list(pieces(frames(count, 7), sizes, ends=ends))
        assert sum(meant for _, meant in cut) == count
        assert {len(piece) for piece, _ in cut} <= set(sizes)
        assert all((piece[:meant] == 7).all() and (ends or meant == len(piece)) for piece, meant in cut)
        assert len(cut) <= (-(-count // 25) if ends else count // 25 + 4)
