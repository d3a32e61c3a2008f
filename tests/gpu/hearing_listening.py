"""Hears through the recogniser's engine with weights that know nothing, and notes how long each pass takes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.chunks import SPEECH_RATE, Transcript, Window
from pipeline.engines.parts import Answers, Part, Sampling, Written
from pipeline.engines.qwen3_asr import Qwen3Asr
from pipeline.engines.qwen3_asr_setup import open_qwen3_asr
from tests.contract.vllm.hearing_cases import sound

LETTERS = [*range(ord("a"), ord("z") + 1)]  # ids of a byte-level tokenizer


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance: how much of it has been heard when its end comes, and how much is written then.

    Attributes:
        tokens_a_pass: While it is spoken.
        tail_tokens: When its end is heard.
    """

    seconds: float
    tokens_a_pass: int
    tail_tokens: int
    every_s: float = 1.0
    pause_s: float = 0.5


class Lasting:
    """Passes of a given number of tokens: dummy weights find no end, or find it anywhere. What is said are letters."""

    def __init__(self, requests: Answers) -> None:
        self._requests = requests
        self.tokens: dict[str, int] = {}  # by the id of the utterance

    async def answer(
        self, request_id: str, sampling: Sampling, part: Part, priority: int = 0
    ) -> AsyncGenerator[Written, None]:
        tokens = self.tokens[part.cache_salt]
        told = replace(part, max_tokens=tokens, min_tokens=tokens)
        made = 0
        async with aclosing(self._requests.answer(request_id, replace(sampling, stop_token_ids=()), told)) as pieces:
            async for written in pieces:
                ids = tuple(LETTERS[(made + i) % len(LETTERS)] for i in range(len(written.token_ids)))
                made += len(ids)
                yield replace(written, token_ids=ids)

    async def busy(self) -> int:
        return await self._requests.busy()

    async def died(self) -> None:
        await self._requests.died()

    async def aclose(self) -> None:
        await self._requests.aclose()


class Listener:
    """A recogniser's engine that writes any number of tokens."""

    def __init__(self, opened: Qwen3Asr) -> None:
        self._lasting = Lasting(opened._requests)
        self._engine = Qwen3Asr(self._lasting, opened._manner)
        self._names = 0

    @staticmethod
    async def open(folder: Path, sessions: int, **engine_args: Any) -> "Listener":
        opened = await open_qwen3_asr(
            folder.parent, model=folder.name, max_sessions=sessions, load_format="dummy", language="English",
            **engine_args,
        )  # fmt: skip
        return Listener(opened)

    async def tail_ms(self, said: Said, *, paced: bool = False) -> float:
        """From the end of the sound to its words, when it was heard as it was spoken.

        Args:
            paced: In real time; else as fast as it can be heard.
        """
        name, pcm = self._name(), self._sound(said.seconds)
        clock = asyncio.get_running_loop().time
        heard, asked, at = asyncio.Semaphore(1), 0.0, 0.0

        async def windows() -> AsyncGenerator[Window, None]:
            nonlocal asked
            self._lasting.tokens[name] = said.tokens_a_pass
            last = said.seconds - said.pause_s
            for end in np.arange(said.every_s, last + 1e-6, said.every_s):
                await heard.acquire()
                await asyncio.sleep(said.every_s if paced else 0)
                yield Window(pcm[: int(end * SPEECH_RATE)], None, False)
            await heard.acquire()
            self._lasting.tokens[name] = said.tail_tokens
            asked = clock()
            yield Window(pcm, None, True)

        async with aclosing(windows()) as given, aclosing(self._engine.generate(name, given)) as transcripts:
            async for _ in transcripts:
                at = clock()
                heard.release()
        return 1000 * (at - asked)

    async def pass_ms(self, seconds: float, tokens: int) -> float:
        """One pass over sound that was not heard before."""
        name, clock = self._name(), asyncio.get_running_loop().time
        self._lasting.tokens[name] = tokens
        asked = clock()
        await self._hear(name, Window(self._sound(seconds), None, True))
        return 1000 * (clock() - asked)

    async def fence_ms(self, seconds: float, after_s: float) -> float:
        """From giving up a pass that is under way to the engine's word that it does nothing any more."""
        name, clock = self._name(), asyncio.get_running_loop().time
        self._lasting.tokens[name] = 400
        async with asyncio.TaskGroup() as tasks:
            hearing = tasks.create_task(self._hear(name, Window(self._sound(seconds), None, True)))
            await asyncio.sleep(after_s)
            assert not hearing.done()
            left = clock()
            hearing.cancel()
            await asyncio.wait([hearing])
        while await self._engine.busy():  # a step that was under way still ends
            pass
        return 1000 * (clock() - left)

    async def aclose(self) -> None:
        await self._engine.aclose()

    async def _hear(self, name: str, window: Window) -> Transcript:
        async def one() -> AsyncGenerator[Window, None]:
            yield window

        async with aclosing(self._engine.generate(name, one())) as transcripts:
            return [each async for each in transcripts][-1]

    def _name(self) -> str:
        self._names += 1
        return f"utterance-{self._names}"

    def _sound(self, seconds: float) -> np.ndarray[Any, np.dtype[np.float32]]:
        return sound(self._names, seconds)
