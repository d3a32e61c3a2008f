"""What the engines of stages have in common that ask one engine of vLLM's."""

from pipeline.models.shared.engine_io import EngineProcess


class RequestEngine:
    """Lives and ends with the engine that computes for it."""

    def __init__(self, process: EngineProcess) -> None:
        self._process = process

    async def busy(self) -> int:
        return await self._process.busy()

    async def died(self) -> None:
        await self._process.died()

    async def aclose(self) -> None:
        await self._process.aclose()
