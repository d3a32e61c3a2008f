"""This module tells a pipeline whether its worker takes callers: one that drains says no, a dead one says nothing."""

import asyncio
import logging
from collections.abc import Callable
from uuid import uuid4

from pipeline.realtime.client import PipelineError, tell_worker

logger = logging.getLogger(__name__)

TELL_S, ANSWER_S = 1.0, 1.0
FAREWELLS = 3  # to a pipeline that has too much to do to hear the first


class WorkerLease:
    """The word of one worker, which counts for a few seconds.

    Args:
        pipeline: The URL of its own cell's pipeline.
        key: That the pipeline asks for.
        takes_calls: Whether it does, just now.
    """

    def __init__(self, pipeline: str, key: str, takes_calls: Callable[[], bool]) -> None:
        self._pipeline, self._key, self._takes_calls = pipeline, key, takes_calls
        self._name = uuid4().hex
        self._heard = True

    async def run(self) -> None:
        """Tell it until cancelled, and then that the worker takes nobody."""
        try:
            while True:
                await self._tell(takes_calls=self._takes_calls())
                await asyncio.sleep(TELL_S)
        finally:
            for _ in range(FAREWELLS):
                await self._tell(takes_calls=False)
                if self._heard:
                    break

    async def _tell(self, *, takes_calls: bool) -> None:
        heard = True
        try:
            await tell_worker(self._pipeline, self._key, self._name, takes_calls=takes_calls, timeout_s=ANSWER_S)
        except PipelineError as error:
            heard = False
            if self._heard:
                logger.warning("the pipeline is not told of this worker", extra={"reason": str(error)})
        self._heard = heard
