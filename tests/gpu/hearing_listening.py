"""Hears through the recogniser's engine with weights that know nothing, and notes how long each pass takes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.asking.transcription import TranscribeResult, transcribe
from pipeline.engines.qwen3_asr.engine import STAGE, Qwen3AsrEngine
from pipeline.engines.qwen3_asr.setup import open_qwen3_asr
from pipeline.engines.vllm.engine import VllmEngine
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.shared.engine_io import PromptChunk
from pipeline.speech.input_audio_buffer import PARTIAL_MS
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.voice_activity import FRAME_MS
from pipeline.types.chunks import AsrInput, Transcript
from pipeline.types.hypothesis import Hypothesis
from tests.contract.vllm.hearing_cases import sound
from tests.gpu.hearing_around import Draft, Lasting, Timed
from tests.gpu.noting import Noting

Pcm = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance: how much of it has been heard when its end comes, and how much is written then.

    Attributes:
        tokens_a_pass: While it is spoken.
        tail_tokens: When its end is heard.
        pause_s: From the last pass before its end.
    """

    seconds: float
    tokens_a_pass: int
    tail_tokens: int
    every_s: float = 1.0
    pause_s: float = 0.5


class Listener:
    """A recogniser's engine that writes any number of tokens."""

    def __init__(self, opened: Qwen3AsrEngine) -> None:
        assert isinstance(opened._requests, VllmEngine)
        self.clock = asyncio.get_running_loop().time
        self.noting = Noting(opened._requests._llm, self.clock)
        self.requests = VllmEngine(self.noting, STAGE)  # type: ignore[arg-type]
        self.timed = Timed(opened._engine_settings, self.clock)
        self._opened = opened
        self._lasting = Lasting(self.requests)
        self._engine = Qwen3AsrEngine(self._lasting, self.timed.engine_settings)
        self._numbers = count()

    @staticmethod
    async def open(folder: Path, sessions: int, **engine_args: Any) -> "Listener":
        opened = await open_qwen3_asr(
            folder.parent, model=folder.name, max_sessions=sessions, load_format="dummy", language="English",
            **engine_args,
        )  # fmt: skip
        return Listener(opened)

    async def tail(self, said: Said, draft: Draft | None = None, *, paced: bool = False) -> dict[str, float]:
        """From the end of the sound to its words, when it was heard as it was spoken: milliseconds of each step.

        Args:
            draft: All of it is right, if none is named.
            paced: In real time; else as fast as it can be heard.
        """
        name, pcm = self.name(), self.sound(said.seconds)
        draft = draft or Draft()
        self.timed.drafts, self._lasting.draft = draft.given, Draft()
        heard, request, at, passes = asyncio.Semaphore(1), 0.0, 0.0, count()

        async def windows() -> AsyncGenerator[AsrInput, None]:
            nonlocal request
            self._lasting.tokens[name] = said.tokens_a_pass
            last = said.seconds - said.pause_s
            for end in np.arange(said.every_s, last + 1e-6, said.every_s):
                await heard.acquire()
                await asyncio.sleep(said.every_s if paced else 0)
                next(passes)
                yield AsrInput(pcm[: int(end * SPEECH_RATE)], None, False)
            await heard.acquire()
            self._lasting.tokens[name], self._lasting.draft = said.tail_tokens, draft
            request = self.clock()
            yield AsrInput(pcm, None, True)

        async with aclosing(windows()) as given, aclosing(self._engine.generate(name, given)) as transcripts:
            async for _ in transcripts:
                at = self.clock()
                heard.release()
        last = f"{name}.{next(passes)}"
        steps = self.noting.of(f"{last}.draft", last)
        before, after = 1000 * (steps.given - request), 1000 * (at - steps.ended)
        return {"tail": 1000 * (at - request), **self.timed.ms, "to_vllm": before, **steps.ms(), "to_words": after}

    async def settled_ms(self, seconds: float, silence_s: float) -> float:
        """From the commit to the final words, of somebody who speaks in real time and is silent before it.

        Nobody's silence is shorter than 0 s: then the commit comes with the last sound.
        """
        name, pcm = self.name(), self.sound(seconds)
        transcriber, samples = StreamingTranscriber(None, PARTIAL_MS), FRAME_MS * SPEECH_RATE // 1000
        quiet = np.zeros(samples, np.float32)
        last: list[tuple[float, Hypothesis]] = []

        async def listen() -> None:
            async for hypothesis in transcriber.listen(self._engine, name):
                last.append((self.clock(), hypothesis))

        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(listen())
            transcriber.resume()
            for at in range(0, len(pcm) - samples + 1, samples):
                transcriber.add(pcm[at : at + samples])
                await asyncio.sleep(FRAME_MS / 1000)
            for _ in range(int(silence_s * 1000 / FRAME_MS)):
                transcriber.add(quiet, voiced=False)
                await asyncio.sleep(FRAME_MS / 1000)
            committed = self.clock()
            transcriber.commit()
            transcriber.settle()
            async with aclosing(transcriber.hypotheses()) as hypotheses:
                final = [each async for each in hypotheses][-1]
            ended = self.clock()
            await listening
        assert final.settled
        assert final.text
        return 1000 * (ended - committed)

    async def pass_ms(self, seconds: float, tokens: int) -> float:
        """One pass over sound that was not heard before."""
        name, window = self.name(), AsrInput(self.sound(seconds), None, True)
        self._lasting.tokens[name] = tokens
        request = self.clock()
        await self._hear(name, window)
        return 1000 * (self.clock() - request)

    async def fence_ms(self, seconds: float, after_s: float) -> tuple[float, float]:
        """From giving up a pass that is under way: to the fence's answer, and until the engine does nothing more."""
        name, window = self.name(), AsrInput(self.sound(seconds), None, True)
        self._lasting.tokens[name] = 400
        async with asyncio.TaskGroup() as tasks:
            transcriber = tasks.create_task(self._hear(name, window))
            await asyncio.sleep(after_s)
            assert not transcriber.done()
            left = self.clock()
            transcriber.cancel()
            await asyncio.wait([transcriber])
        fenced = self.clock()
        while await self._engine.busy():  # a step that was under way still ends
            pass
        return 1000 * (fenced - left), 1000 * (self.clock() - left)

    def part(self, seconds: float, salt: str) -> PromptChunk:
        """A pass of one token over sound that was not heard before."""
        request = self._opened._engine_settings.passes().ask(AsrInput(self.sound(seconds), None, True), "English")
        token_ids, media = self._opened._engine_settings.prompt(request.prompt, request.windows)
        return PromptChunk(token_ids, 1, media=media, cache_salt=salt)

    async def first_ms(self, part: PromptChunk) -> float:
        """From the engine's step to the one token."""
        name = self.name()
        sampling = replace(self._engine._sampling, stop_token_ids=())
        async with aclosing(self.requests.answer(name, sampling, part)) as pieces:
            async for _ in pieces:
                pass
        return self.noting.steps[name].ms()["to_first"]

    async def transcribed(self, seconds: float) -> TranscribeResult:
        """Nobody's speech, which repeats itself each minute."""
        pcm = np.resize(self.sound(60.0), int(seconds * SPEECH_RATE))
        return await transcribe(pcm, None, self._engine, lambda _: None)

    async def aclose(self) -> None:
        await self._opened.aclose()

    async def _hear(self, name: str, window: AsrInput) -> Transcript:
        async def one() -> AsyncGenerator[AsrInput, None]:
            yield window

        async with aclosing(self._engine.generate(name, one())) as transcripts:
            return [each async for each in transcripts][-1]

    def name(self) -> str:
        return f"utterance-{next(self._numbers)}"

    def sound(self, seconds: float) -> Pcm:
        return sound(next(self._numbers), seconds)
