"""The engine and its process: whose picture is whose, what is dropped, and a process that dies. In real time."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.engines.base import Engine
from pipeline.engines.child_process import STOP_S
from pipeline.engines.image_recognition.engine import MOST_DROPPED, ImageRecognitionEngine
from pipeline.errors import ConfigError, EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.runtime.supervisor import RestartableEngine
from pipeline.types.observation import Observation, RecognitionPrompt
from tests.pipeline.engines.image_recognition.fake_child import BREAKS, DIES, HANGS, SLOW, STEP_S, STEPS
from tests.supervised import supervised

FAKE = (sys.executable, "-m", "tests.pipeline.engines.image_recognition.fake_child")
FILES = (
    "yolox-nano/model.onnx",
    "efficientnet-lite3/model.tflite",
    "pp-ocrv6-small/det.onnx",
    "pp-ocrv6-small/rec.onnx",
)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"good")
    return tmp_path


@pytest.fixture
async def engine(models: Path) -> AsyncGenerator[ImageRecognitionEngine, None]:
    engine = await ImageRecognitionEngine.open(models, child=FAKE)
    yield engine
    await engine.aclose()


def picture(red: int, name: str = "", *, width: int = 4, height: int = 3) -> VideoChunk:
    pixels = np.zeros((2, height, width, 3), np.uint8)
    pixels[-1, 0, 0, 0] = red
    return VideoChunk(name or f"picture {red}", tuple(pixels))


async def sent(*prompts: RecognitionPrompt) -> AsyncIterator[RecognitionPrompt]:
    for prompt in prompts:
        yield prompt


async def seen(engine: Engine[RecognitionPrompt, Observation], *prompts: RecognitionPrompt) -> list[Observation]:
    async with asyncio.timeout(30):
        return [each async for each in engine.generate("test", sent(*prompts))]


async def until_busy(engine: ImageRecognitionEngine, requests: int) -> None:
    async with asyncio.timeout(30):
        while True:
            if await engine.busy() == requests:
                return
            await asyncio.sleep(0.01)


def counts(observations: list[Observation]) -> list[int]:
    return [thing.count for each in observations for thing in each.things]


def prompt(*reds: int, read: bool = False, salt: str = "") -> RecognitionPrompt:
    return RecognitionPrompt(tuple(picture(red) for red in reds), read, salt)


pytestmark = pytest.mark.anyio


async def test_each_picture_of_each_prompt_is_answered_in_order(engine: ImageRecognitionEngine) -> None:
    assert counts(await seen(engine, prompt(10, 11), prompt(), prompt(12))) == [10, 11, 12]
    assert await seen(engine) == []


async def test_of_a_second_the_last_frame_is_looked_at_and_any_size_is_taken(engine: ImageRecognitionEngine) -> None:
    for width, height in ((1, 1), (5000, 1), (1280, 720)):
        chunk = picture(20, f"{width}", width=width, height=height)
        (answer,) = await seen(engine, RecognitionPrompt((chunk,), cache_salt="anna"))
        assert answer.things[0].name == f"{width}x{height} of anna"
        assert answer.things[0].count == 20


async def test_asking_again_about_a_picture_costs_nothing(engine: ImageRecognitionEngine) -> None:
    (first,) = await seen(engine, prompt(10, salt="anna"))
    assert await seen(engine, prompt(10, salt="anna")) == [first]
    assert first.text == "1 False"


async def test_who_asks_while_a_picture_is_looked_at_waits_for_that_look(engine: ImageRecognitionEngine) -> None:
    first, second = await asyncio.gather(*(seen(engine, prompt(10, salt="anna")) for _ in range(2)))
    assert first == second
    assert first[0].text == "1 False"


async def test_a_look_that_is_dropped_is_taken_up_by_who_waits_for_it(engine: ImageRecognitionEngine) -> None:
    async with asyncio.TaskGroup() as tasks:
        dropped, waits = (tasks.create_task(seen(engine, prompt(SLOW, salt="anna"))) for _ in range(2))
        await until_busy(engine, 1)
        dropped.cancel()
    assert len(waits.result()) == 1


async def test_reading_looks_once_more_and_what_was_read_serves_who_only_looks(engine: ImageRecognitionEngine) -> None:
    texts = [
        (await seen(engine, prompt(10, read=read, salt="anna")))[0].text for read in (False, True, False, True, False)
    ]
    assert texts == ["1 False", *["2 True"] * 4]


async def test_a_picture_of_one_caller_is_not_shared_with_another(engine: ImageRecognitionEngine) -> None:
    texts = [(await seen(engine, prompt(10, salt=salt)))[0].text for salt in ("anna", "ben", "anna")]
    assert texts == ["1 False", "2 False", "1 False"]


async def test_many_callers_get_their_own(engine: ImageRecognitionEngine) -> None:
    async with asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(seen(engine, prompt(red, salt=str(red)))) for red in range(30, 50)]
    assert [counts(task.result()) for task in asked] == [[red] for red in range(30, 50)]
    assert await engine.busy() == 0


async def test_a_picture_that_breaks_the_models_fails_alone(engine: ImageRecognitionEngine) -> None:
    with pytest.raises(EngineError, match="vision: a picture cannot be recognised: ValueError: no such tensor"):
        await seen(engine, prompt(BREAKS))
    assert counts(await seen(engine, prompt(10))) == [10]
    assert await engine.busy() == 0


async def test_who_leaves_is_dropped_and_the_next_is_not_kept_waiting(engine: ImageRecognitionEngine) -> None:
    clock = asyncio.get_running_loop().time
    async with asyncio.TaskGroup() as tasks:
        leaving = tasks.create_task(seen(engine, prompt(SLOW)))
        await until_busy(engine, 1)
        waiting = tasks.create_task(seen(engine, prompt(10)))
        await until_busy(engine, 2)
        began = clock()
        leaving.cancel()
        assert counts(await waiting) == [10]
        assert clock() - began < STEPS * STEP_S / 2
    await until_busy(engine, 0)


async def test_who_leaves_while_waiting_leaves_the_others_alone(engine: ImageRecognitionEngine) -> None:
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(seen(engine, prompt(SLOW)))
        leaving = tasks.create_task(seen(engine, prompt(10)))
        await until_busy(engine, 2)
        leaving.cancel()
        await until_busy(engine, 1)
        assert counts(await first) == [SLOW]


async def test_closing_the_generator_between_pictures_is_no_harm(engine: ImageRecognitionEngine) -> None:
    async with aclosing(engine.generate("test", sent(prompt(10, 11)))) as observations:
        async for observation in observations:
            assert counts([observation]) == [10]
            break
    assert await engine.busy() == 0


async def test_a_process_that_dies_fails_its_requests_and_says_so(models: Path) -> None:
    engine = await ImageRecognitionEngine.open(models, child=FAKE)
    assert isinstance(engine, RestartableEngine)
    with pytest.raises(EngineError, match="vision: the process that recognises pictures has ended"):
        await seen(engine, prompt(DIES))
    await engine.died()
    assert await engine.busy() == 0
    with pytest.raises(EngineError):
        await seen(engine, prompt(10))
    await engine.aclose()


async def test_a_process_that_is_killed_is_replaced(models: Path) -> None:
    async with supervised("vision", partial(ImageRecognitionEngine.open, models, child=FAKE)) as it:
        with pytest.raises(EngineError):
            await seen(it.engine, prompt(DIES))
        await it.until(200)
        assert counts(await seen(it.engine, prompt(10))) == [10]


async def test_nobody_waits_for_one_that_hangs_and_it_is_ended_all_the_same(models: Path) -> None:
    engine = await ImageRecognitionEngine.open(models, child=FAKE)
    clock = asyncio.get_running_loop().time
    async with asyncio.TaskGroup() as tasks:
        leaving = tasks.create_task(seen(engine, prompt(HANGS)))
        await asyncio.sleep(0.2)
        began = clock()
        leaving.cancel()
        await asyncio.wait([leaving])
        assert clock() - began < STOP_S / 2
        asked = tasks.create_task(_fails(seen(engine, prompt(HANGS))))
        await asyncio.sleep(0.2)
        async with asyncio.timeout(30):
            await engine.aclose()
            assert await asked


async def test_one_that_hangs_is_not_given_ever_more_pictures(models: Path) -> None:
    engine = await ImageRecognitionEngine.open(models, child=FAKE)
    async with asyncio.TaskGroup() as tasks:
        hung = tasks.create_task(_fails(seen(engine, prompt(HANGS))))
        for _ in range(MOST_DROPPED):
            leaving = tasks.create_task(seen(engine, prompt(10)))
            await asyncio.sleep(0.01)
            leaving.cancel()
            await asyncio.wait([leaving])
        with pytest.raises(EngineError, match="vision: the process that recognises pictures does not answer"):
            await seen(engine, prompt(10))
        await engine.aclose()
        assert await hung


async def test_those_who_left_are_forgotten_once_the_process_has_heard_it(engine: ImageRecognitionEngine) -> None:
    for red in range(10, 10 + 2 * MOST_DROPPED):
        leaving = asyncio.gather(seen(engine, prompt(SLOW, salt=str(red))))
        await asyncio.sleep(0.01)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await until_busy(engine, 0)
    assert counts(await seen(engine, prompt(10))) == [10]


@pytest.mark.parametrize("missing", FILES)
async def test_a_missing_model_is_named(models: Path, missing: str) -> None:
    (models / missing).unlink()
    with pytest.raises(ConfigError, match=missing.replace("/", r".*")):
        await ImageRecognitionEngine.open(models, child=FAKE)


async def test_without_a_reader_its_files_are_not_needed(models: Path) -> None:
    for name in FILES[2:]:
        (models / name).unlink()
    engine = await ImageRecognitionEngine.open(models, reader="none", child=FAKE)
    await engine.aclose()


async def test_a_damaged_model_is_refused(models: Path) -> None:
    (models / FILES[0]).write_bytes(b"bad")
    with pytest.raises(ConfigError, match="vision: the detector is damaged"):
        await ImageRecognitionEngine.open(models, child=FAKE)


async def _fails(request: Any) -> bool:
    try:
        await request
    except EngineError:
        return True
    return False
