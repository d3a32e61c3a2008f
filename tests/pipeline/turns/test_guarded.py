"""An engine that is somebody else's code: whatever it does, its turn ends and tells the stage."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from pipeline.errors import EngineError
from pipeline.runtime.orchestrator import recogniser_of
from pipeline.topology.config import PipelineConfig, StagePipelineConfig
from pipeline.turns.guarded import MOST_WRITTEN, guarded
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.turn import chain
from pipeline.types.chunks import AsrInput, AudioChunk, ChatMessage, ChatPrompt, TextChunk, Transcript, TurnId
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest
from tests.scenario import ASR, AURA, TTS, to_chat, to_sentences
from tests.tidy import nothing_left

HI = TurnRequest(History((Item("q", "user", "Hi"),)))
LATENT = replace(AURA, engine_output_type="latent", final_output=False, final_output_type=None)
SEES = replace(AURA, engine_output_type="observation", final_output_type="observation")


class Own:
    """An engine whose `generate` is what the test says."""

    def __init__(self, generate: Callable[..., Any]) -> None:
        self.generate = generate

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""


def breaks(error: BaseException) -> Callable[..., Any]:
    async def generate(request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[TextChunk, None]:
        async for _ in prompts:
            yield TextChunk("One")
            raise error

    return generate


async def coroutine(request_id: str, prompts: AsyncIterator[Any]) -> list[TextChunk]:
    return [TextChunk("One")]


async def answered(*stages: Stage[Any, Any]) -> EngineError | None:
    """Why a turn through these stages has failed; None: it has not."""
    output = SpeculativeOutput(1_000)
    with nothing_left():
        async with asyncio.timeout(60):
            await chain(TurnId("s", 0), HI, stages, output)
    return output.error


@pytest.mark.parametrize(
    ("generate", "reason"),
    [
        (breaks(ValueError("a secret")), "internal error (ValueError)"),
        (breaks(SystemExit(3)), "internal error (SystemExit)"),
        (breaks(StopAsyncIteration()), "internal error (RuntimeError)"),
        (breaks(asyncio.CancelledError()), "it was given up from within"),
        (breaks(EngineError("aura", "no memory")), "no memory"),
        (breaks(ExceptionGroup("both", [ValueError(), EngineError("aura", "no memory")])), "no memory"),
        (coroutine, "its generate gives coroutine, not an async generator"),
        (lambda request_id, prompts: [TextChunk("One")], "its generate gives list, not an async generator"),
        (lambda request_id: None, "internal error (TypeError)"),
    ],
)
async def test_an_engine_that_breaks_in_mid_answer_ends_the_turn_and_is_named(
    generate: Callable[..., Any], reason: str
) -> None:
    """The voice behind it waits for words: it is stopped, too."""
    error = await answered(Stage(AURA, Own(generate), to_chat), Stage(TTS, Own(says(AudioChunk(b""))), to_sentences))
    assert error and (error.stage, error.reason) == ("aura", reason)


async def test_a_processor_that_breaks_is_told_by_its_name_and_stage() -> None:
    async def broken(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        words = dict[str, str]()
        async for _ in inbox:
            yield ChatPrompt((ChatMessage("user", words["none"]),), "")

    error = await answered(Stage(AURA, Own(says(TextChunk("One"))), broken))
    assert error and str(error) == "aura: its processor broken failed (KeyError)"


def says(*chunks: Any) -> Callable[..., Any]:
    async def generate(request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        async for _ in prompts:
            for chunk in chunks:
                yield chunk

    return generate


@dataclass(frozen=True, slots=True)
class OfItsOwn:
    text: str


@pytest.mark.parametrize(
    ("spec", "chunk", "fault"),
    [
        (AURA, AudioChunk(b""), "it made AudioChunk, not TextChunk"),
        (AURA, "One", "it made str, not TextChunk"),
        (AURA, None, "it made NoneType, not TextChunk"),
        (TTS, TextChunk("One"), "it made TextChunk, not AudioChunk"),
        (TTS, AudioChunk(b"\0\0\0"), "its sound has 3 bytes, and a sample of PCM16 has 2"),
        (TTS, AudioChunk(np.zeros(9)), "its sound is ndarray, not bytes of PCM16"),  # type: ignore[arg-type]
        (SEES, TextChunk("a cat"), "it made TextChunk, not Observation"),
        (LATENT, TextChunk("One"), "it made TextChunk, and hands on latents"),
        (LATENT, AudioChunk(b""), "it made AudioChunk, and hands on latents"),
        (ASR, TextChunk("One"), "it made TextChunk, not Transcript"),
        (AURA, TextChunk("One"), ""),
        (TTS, AudioChunk(b"\0\0"), ""),
        (SEES, Observation(), ""),
        (LATENT, OfItsOwn("One"), ""),
        (replace(LATENT, final_output=True, final_output_type="text"), TextChunk("One"), ""),
        (ASR, Transcript("One", 0, settles=True), ""),
    ],
)
async def test_only_what_the_stage_hands_on_may_be_made(spec: StagePipelineConfig, chunk: Any, fault: str) -> None:
    found = list[Any]()
    try:
        async for each in guarded(spec, "s.0", lambda: says(chunk)("s.0", one())):
            found.append(each)
    except EngineError as error:
        assert (error.stage, error.reason, found) == (spec.model_stage, fault, [])
    else:
        assert (fault, found) == ("", [chunk])


async def one() -> AsyncGenerator[str, None]:
    yield "prompt"


@pytest.mark.parametrize("text", ["", "word "])
async def test_an_engine_that_writes_without_end_is_stopped_though_it_never_waits(text: str) -> None:
    """Nobody else has a turn while it does not wait."""

    async def generate(request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[TextChunk, None]:
        async for _ in prompts:
            for _ in range(MOST_WRITTEN + 1):
                yield TextChunk(text)

    error = await answered(Stage(AURA, Own(generate), to_chat))
    assert error and str(error) == "aura: it wrote more than 200,000 letters, and no end was to be seen"


async def test_a_turn_that_is_cancelled_is_no_failure_of_its_engine() -> None:
    async def hangs(request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[TextChunk, None]:
        async for _ in prompts:
            await asyncio.sleep(1e6)
            yield TextChunk("late")

    output = SpeculativeOutput(0)
    turn = asyncio.create_task(chain(TurnId("s", 0), HI, (Stage(AURA, Own(hangs), to_chat),), output))  # noqa: TID251
    await asyncio.sleep(5)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert output.error is None


async def test_a_recogniser_that_breaks_is_told_by_its_stage() -> None:
    topology = PipelineConfig("two", AURA.model_arch, (ASR, AURA))
    recogniser = recogniser_of(topology, {"asr": Own(breaks(ZeroDivisionError()))})
    assert recogniser and recogniser_of(topology, {}) is None
    window = AsrInput(np.zeros(16, np.float32), None, settles=True)

    async def windows() -> AsyncGenerator[AsrInput, None]:
        yield window

    with pytest.raises(EngineError, match="asr: it made TextChunk, not Transcript"):
        _ = [each async for each in recogniser.generate("s.0:asr", windows())]
    recogniser = recogniser_of(topology, {"asr": Own(says(Transcript("One", 0, settles=True)))})
    assert recogniser and [each.text async for each in recogniser.generate("s.0:asr", windows())] == ["One"]
    assert await recogniser.busy() == 0
