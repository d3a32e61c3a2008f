"""llama.cpp's own server: its process, and what is asked of it."""

from dataclasses import dataclass
from typing import Self

from pipeline.engines.llamacpp.server.api import ServerApi
from pipeline.engines.llamacpp.server.completions import SlotCompletions
from pipeline.engines.llamacpp.server.process import LlamaServerProcess
from pipeline.engines.llamacpp.server.settings import LlamaServerSettings
from pipeline.engines.llamacpp.server.tokenizer import LlamaTokenizer


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A server that runs, with all that it does for the engine."""

    process: LlamaServerProcess
    api: ServerApi
    tokenizer: LlamaTokenizer
    completions: SlotCompletions

    @classmethod
    async def start(cls, settings: LlamaServerSettings) -> Self:
        """Returns when it listens and the model is loaded.

        Raises:
            ConfigError: The model cannot be loaded.
        """
        process = await LlamaServerProcess.start(settings)
        api = ServerApi.at(process.address, process.key)
        return cls(process, api, LlamaTokenizer(api), SlotCompletions(api))

    async def aclose(self) -> None:
        await self.api.aclose()
        await self.process.aclose()
