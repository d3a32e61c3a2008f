"""What one attempt to answer makes, on its way to the output of its turn."""

from typing import Protocol

from pipeline.errors import EngineError


class StageOutput(Protocol):
    """Takes what the stages of a chain make: `SpeculativeOutput`, or one attempt's way to it."""

    def stage_began(self, stage: str) -> None: ...

    def stage_made(self, stage: str) -> None: ...

    def stage_ended(self, stage: str) -> None: ...

    async def send(self, chunk: object) -> None: ...

    def fail(self, error: EngineError) -> None: ...


class TurnOutput(StageOutput, Protocol):
    """`SpeculativeOutput`."""

    async def room(self, chunk: object) -> None: ...

    def take(self, chunk: object) -> None: ...


class AttemptOutput:
    """Passes on what an attempt makes, until it is given up: what its stages make before they have gone is lost."""

    def __init__(self, output: TurnOutput) -> None:
        self._output: TurnOutput | None = output

    def give_up(self) -> None:
        self._output = None

    def stage_began(self, stage: str) -> None:
        if self._output:
            self._output.stage_began(stage)

    def stage_made(self, stage: str) -> None:
        if self._output:
            self._output.stage_made(stage)

    def stage_ended(self, stage: str) -> None:
        if self._output:
            self._output.stage_ended(stage)

    async def send(self, chunk: object) -> None:
        if self._output:
            await self._output.room(chunk)
        if self._output:
            self._output.take(chunk)

    def fail(self, error: EngineError) -> None:
        if self._output:
            self._output.fail(error)
