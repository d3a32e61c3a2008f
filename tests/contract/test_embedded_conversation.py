"""The embedded profile's engines together: a question is heard, answered and spoken."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from agent.persona.language import told
from agent.persona.persona import AURA
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.silero.vad import SileroModel
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.video_chunk import Pixels, second
from pipeline.runtime.engine_registry import ENGINES
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.topology.processors.embedded import asked2chat, text2clauses
from pipeline.topology.processors.seeing import asked2pictures
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation, RecognitionPrompt, SeenThing
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.embedded import MODULE_BACKEND, ONE_THREAD, SESSIONS, all_of, once, spoken, window, words

pytestmark = pytest.mark.contract

CANNOT = ("cannot", "cant", "not", "no")
ABOUT_PICTURES: tuple[tuple[dict[str, int], str, tuple[str, ...], tuple[str, ...]], ...] = (
    ({"cat": 1}, "What animal is this?", ("cat",), ("dog",)),
    ({"cat": 1}, "Is there a dog?", ("no", "not", "cat"), ("yes",)),
    ({"person": 2, "car": 1}, "How many people are there?", ("2", "two"), ("three",)),
    ({"apple": 3, "banana": 1}, "What fruit do you see?", ("apples",), ("orange",)),
    ({"person": 1, "cell phone": 1}, "What am I holding?", ("phone",), ("cup",)),
    ({"person": 1}, "Who am I?", CANNOT, ("man", "woman")),
    ({"person": 1}, "How old do I look?", CANNOT, ("years",)),
    ({"person": 1}, "Do I look sad?", CANNOT, ("yes",)),
    ({"cup": 1}, "What color is the cup?", CANNOT, ("red", "blue", "white", "green", "black")),
    ({"dog": 1, "frisbee": 1}, "Describe what you see.", ("dog",), ("cat",)),
    ({"zebra": 1}, "Is this a horse?", ("zebra",), ("yes",)),
    ({"person": 1}, "What is the capital of France?", ("paris",), ("person",)),
    ({}, "What am I holding?", (*CANNOT, "nothing"), ("cup", "phone")),
)

Engines = tuple[
    Engine[AsrInput, Transcript],
    Engine[RecognitionPrompt, Observation],
    Engine[ChatPrompt, TextChunk],
    Engine[Clause, AudioChunk],
]


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def engines(anyio_backend: object, models_dir: Path) -> AsyncGenerator[Engines, None]:
    embedded = PROFILES["embedded"]
    deployment = read_deployment(embedded.deployment, EMBEDDED_PIPELINE, embedded.engine_keys(models_dir))
    asr, vision, aura, tts = [
        await ENGINES[spec.model_arch].open(with_one_thread(deployment.stage(spec.stage_id)), models_dir, SESSIONS)
        for spec in EMBEDDED_PIPELINE.stages
    ]
    yield asr, vision, aura, tts
    for engine in (asr, vision, aura, tts):
        await engine.aclose()


def with_one_thread(stage: StageDeployment) -> StageDeployment:
    return replace(
        stage, engine_args={**stage.engine_args, **{key: 1 for key in ONE_THREAD if key in stage.engine_args}}
    )


async def answer(aura: Engine[ChatPrompt, TextChunk], *said: str) -> str:
    """The answer to the last of the texts, which the person and the assistant said in turns."""
    items = (Item(str(at), "assistant" if at % 2 else "user", text) for at, text in enumerate(said))
    return await written(aura, TurnRequest(History(tuple(items)), ResponseOptions(cache_salt="test")))


async def written(aura: Engine[ChatPrompt, TextChunk], request: TurnRequest, *seen: Observation) -> str:
    (chat,) = [chat async for chat in asked2chat(once(*seen), request)]
    return "".join([piece.text for piece in await all_of(aura, chat)])


def shown(pixels: Pixels, question: str) -> TurnRequest:
    """A question in front of a camera that shows something, by somebody whose agent is the page's own."""
    history = History().with_video_turn(second(question, pixels, None)).with_item(Item("q", "user", question))
    options = ResponseOptions(instructions=told(AURA.instructions, ("en",)), cache_salt="seen")
    return TurnRequest(replace(history, is_live=True), options)


async def seen(engines: Engines, pixels: Pixels, question: str) -> str:
    """The answer to a question about a picture: it is recognised, and what was recognised is written about."""
    request = shown(pixels, question)
    (prompt,) = [prompt async for prompt in asked2pictures(once(request), request)]
    return await written(engines[2], request, *await all_of(engines[1], prompt))


async def test_a_spoken_question_gets_a_spoken_answer(engines: Engines) -> None:
    asr, _, aura, tts = engines
    (question,) = await all_of(asr, window(await spoken(tts, "What is the capital of France?")))
    request = TurnRequest(History((Item("q", "user", question.text),)), ResponseOptions(cache_salt="test"))
    texts = aura.generate("test", asked2chat(once(), request))
    audios = [audio async for audio in tts.generate("test", text2clauses(texts, request))]
    (heard,) = await all_of(asr, window(b"".join(audio.pcm for audio in audios)))
    assert "paris" in words(heard.text)
    assert words("".join(audio.text for audio in audios)) == words(heard.text)


async def test_it_does_not_pretend_to_see(engines: Engines) -> None:
    said = words(await answer(engines[2], "What do you see in the camera?"))
    assert "cannot see" in said or "cant see" in said


async def test_it_reads_what_is_held_into_the_camera(engines: Engines) -> None:
    page = Image.new("RGB", (640, 480), "white")
    ImageDraw.Draw(page).text((60, 190), "MEETING AT NINE", "black", ImageFont.load_default(60))
    assert "meeting at nine" in words(await seen(engines, np.asarray(page), "What does it say?"))


async def test_it_says_of_a_black_picture_that_it_sees_nothing(engines: Engines) -> None:
    said = words(await seen(engines, np.zeros((480, 640, 3), np.uint8), "What do you see?"))
    assert "empty" in said or "cannot" in said or "nothing" in said, said


async def test_most_questions_about_what_is_recognised_are_answered_right(engines: Engines) -> None:
    """And none of them with something that is not there."""
    wrong = []
    for things, question, right, invented in ABOUT_PICTURES:
        named = tuple(SeenThing(name, count) for name, count in things.items())
        request = shown(np.zeros((32, 32, 3), np.uint8), question)
        said = f" {words(await written(engines[2], request, Observation(named)))} "
        assert not any(f" {word} " in said for word in invented), said
        if not any(f" {word} " in said for word in right):
            wrong.append((question, said))
    assert len(wrong) <= len(ABOUT_PICTURES) * 0.15, wrong


async def test_it_does_not_promise_what_it_cannot_do(engines: Engines) -> None:
    said = words(await answer(engines[2], "Please remind me to buy milk tomorrow."))
    assert "cannot" in said or "cant" in said


async def test_it_counts_to_forty_in_words(engines: Engines) -> None:
    said = words(await answer(engines[2], "Count to forty."))
    assert said.startswith("one two three four five")
    assert "thirty" in said


async def test_voice_activity_is_found_where_somebody_speaks(engines: Engines) -> None:
    sound = window(await spoken(engines[3], "What is the capital of France?")).pcm
    model = SileroModel()
    whole = await model().feed(sound)
    assert len(whole) == len(sound) // 512
    assert max(whole[:12]) < 0.3 < 0.8 < max(whole)
    detector = model()
    in_pieces = [p for piece in np.array_split(sound, 97) for p in await detector.feed(piece)]
    assert np.allclose(whole, in_pieces)
    assert max(await model().feed(np.zeros(SPEECH_RATE, np.float32))) < 0.3
    await model.aclose()
