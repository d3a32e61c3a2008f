"""Computes the sound of many callers at once, on a thread of its own and off the event loop."""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

FRAMES_AT_ONCE = 64  # past it a frame costs no less, and others wait longer


class VadNetwork(Protocol):
    """A recurrent network that judges one frame of each of several callers."""

    def __call__(self, windows: Floats, states: Floats) -> tuple[Floats, Floats]:
        """Judges one frame of each caller at once.

        Args:
            windows: Shape [callers, samples].
            states: Shape [2, callers, width]: what the network remembers of each caller.

        Returns:
            Probabilities of speech, shape [callers, 1], and the states that follow.
        """
        ...


class VadJob:
    """What one caller said, frame by frame.

    Attributes:
        done: Gets the probabilities and the state that follows.
    """

    def __init__(self, windows: Floats, state: Floats) -> None:
        self.done: asyncio.Future[tuple[list[float], Floats]] = asyncio.get_running_loop().create_future()
        self._windows = windows
        self._state = state
        self._probabilities: list[float] = []

    @property
    def is_left(self) -> bool:
        return len(self._probabilities) < len(self._windows)

    def next(self) -> tuple[Floats, Floats]:
        """The frame that is to be judged, and the state in front of it."""
        return self._windows[len(self._probabilities)], self._state

    def judge(self, probability: float, state: Floats) -> None:
        self._probabilities.append(probability)
        self._state = state

    def finish(self) -> None:
        """Tell whoever waits, if they still do."""
        if not self.done.done():
            self.done.set_result((self._probabilities, self._state))

    def fail(self, error: BaseException) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class VadBatcher:
    """One thread for all callers.

    A frame needs the state that the one before it left, so a pass has one frame of each caller who waits. While it
    is computed others gather for the next one: the more callers there are, the larger it is. Nobody who brings much
    sound at once keeps others waiting, because it is judged in portions.
    """

    def __init__(self, network: VadNetwork) -> None:
        self._network = network
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vad")
        self._waiting: deque[VadJob] = deque()
        self._is_computing = False

    async def judge(self, windows: Floats, state: Floats) -> tuple[list[float], Floats]:
        """Judges one caller's frames, in batches with what other callers have meanwhile.

        Args:
            windows: One caller's frames, in order, shape [frames, samples].
            state: Shape [2, 1, width].

        Returns:
            A probability of speech for each, and the state that follows the last.
        """
        job = VadJob(windows, state)
        self._waiting.append(job)
        self._start()
        return await job.done

    async def aclose(self) -> None:
        """Nobody waits any more; returns when the thread has ended."""
        await asyncio.to_thread(self._thread.shutdown, wait=True)

    def _start(self) -> None:
        if self._is_computing:
            return
        jobs: list[VadJob] = []
        while self._waiting and len(jobs) < FRAMES_AT_ONCE:
            job = self._waiting.popleft()
            if not job.done.done():  # else its caller has gone
                jobs.append(job)
        if jobs:
            self._is_computing = True
            computing = asyncio.get_running_loop().run_in_executor(self._thread, self._compute, jobs)
            computing.add_done_callback(partial(self._computed, jobs))

    def _compute(self, jobs: list[VadJob]) -> None:
        for _ in range(max(1, FRAMES_AT_ONCE // len(jobs))):
            left = [job for job in jobs if job.is_left]
            if not left:
                return
            windows, states = zip(*(job.next() for job in left), strict=True)
            probabilities, after = self._network(np.stack(windows), np.concatenate(states, axis=1))
            for at, (job, probability) in enumerate(zip(left, probabilities[:, 0].tolist(), strict=True)):
                job.judge(probability, after[:, at : at + 1])

    def _computed(self, jobs: list[VadJob], computing: asyncio.Future[None]) -> None:
        self._is_computing = False
        error = computing.exception()
        for job in jobs:
            if error:
                job.fail(error)
            elif job.is_left:
                self._waiting.append(job)
            else:
                job.finish()
        self._start()
