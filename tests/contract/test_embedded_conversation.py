"""The embedded profile's engines together: a question is heard, answered and spoken."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.deployment.loading import read_deployment
from pipeline.engines.base import Engine
from pipeline.engines.silero.vad import SileroModel
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.runtime.engine_registry import ENGINES
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.topology.processors.embedded import asked2chat, text2clauses
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.embedded import MODULE_BACKEND, all_of, once, spoken, window, words

pytestmark = pytest.mark.contract

SESSIONS = 2  # as the stack of the end-to-end tests has: what is read at the start is kept for the next start like it

Engines = tuple[Engine[AsrInput, Transcript], Engine[ChatPrompt, TextChunk], Engine[Clause, AudioChunk]]


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def engines(anyio_backend: object, models_dir: Path) -> AsyncGenerator[Engines, None]:
    embedded = PROFILES["embedded"]
    deployment = read_deployment(embedded.deployment, EMBEDDED_PIPELINE, embedded.engine_keys(models_dir))
    asr, aura, tts = [
        await ENGINES[stage.model_arch].open(deployment.stage(stage.stage_id), models_dir, SESSIONS)
        for stage in EMBEDDED_PIPELINE.stages
    ]
    yield asr, aura, tts
    for engine in (asr, aura, tts):
        await engine.aclose()


async def answer(aura: Engine[ChatPrompt, TextChunk], *said: str) -> str:
    """The answer to the last of the texts, which the person and the assistant said in turns."""
    items = (Item(str(at), "assistant" if at % 2 else "user", text) for at, text in enumerate(said))
    request = TurnRequest(History(tuple(items)), ResponseOptions(cache_salt="test"))
    (chat,) = [chat async for chat in asked2chat(once(request), request)]
    return "".join([piece.text for piece in await all_of(aura, chat)])


async def test_a_spoken_question_gets_a_spoken_answer(engines: Engines) -> None:
    asr, aura, tts = engines
    (question,) = await all_of(asr, window(await spoken(tts, "What is the capital of France?")))
    request = TurnRequest(History((Item("q", "user", question.text),)), ResponseOptions(cache_salt="test"))
    texts = aura.generate("test", asked2chat(once(request), request))
    audios = [audio async for audio in tts.generate("test", text2clauses(texts, request))]
    (heard,) = await all_of(asr, window(b"".join(audio.pcm for audio in audios)))
    assert "paris" in words(heard.text)
    assert words("".join(audio.text for audio in audios)) == words(heard.text)


async def test_it_does_not_pretend_to_see(engines: Engines) -> None:
    said = words(await answer(engines[1], "What do you see in the camera?"))
    assert "cannot see" in said or "cant see" in said


async def test_it_does_not_promise_what_it_cannot_do(engines: Engines) -> None:
    said = words(await answer(engines[1], "Please remind me to buy milk tomorrow."))
    assert "cannot" in said or "cant" in said


async def test_it_counts_to_forty_in_words(engines: Engines) -> None:
    said = words(await answer(engines[1], "Count to forty."))
    assert said.startswith("one two three four five")
    assert "thirty" in said


async def test_voice_activity_is_found_where_somebody_speaks(engines: Engines) -> None:
    sound = window(await spoken(engines[2], "What is the capital of France?")).pcm
    model = SileroModel()
    whole = await model().feed(sound)
    assert len(whole) == len(sound) // 512
    assert max(whole[:12]) < 0.3 < 0.8 < max(whole)
    detector = model()
    in_pieces = [p for piece in np.array_split(sound, 97) for p in await detector.feed(piece)]
    assert np.allclose(whole, in_pieces)
    assert max(await model().feed(np.zeros(SPEECH_RATE, np.float32))) < 0.3
    await model.aclose()
