"""A pipeline from Python, without a server: opened as its deployment file says, and asked."""

import os
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from os import PathLike
from pathlib import Path

import numpy as np

from pipeline.asking.question import AskResult, ask
from pipeline.asking.stages import OfflineStages
from pipeline.deployment.loading import read_deployment
from pipeline.errors import RequestError
from pipeline.media.segmentation import Pcm
from pipeline.media.video_chunk import VideoChunk
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.runtime.checks.gpus import VISIBLE, gpu_bytes
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import PROFILES, Profile, profile_of
from pipeline.types.capabilities import Capabilities

MODELS = Path(".aura/models")  # where `infra/up` keeps them


def _check_sound(question: object) -> None:
    """Refuses what is no sound as the engines take it.

    Raises:
        RequestError: Says what it is instead.
    """
    wanted = "a text, or sound as a NumPy array of float32, one dimension, at 16 kHz, is needed"
    if not isinstance(question, np.ndarray):
        raise RequestError(
            "invalid_value", f"`question` is of the type {type(question).__name__}: {wanted}", "question"
        )
    if question.ndim != 1 or question.dtype != np.float32:
        raise RequestError(
            "invalid_value", f"`question` is an array {list(question.shape)} of {question.dtype}: {wanted}", "question"
        )


def _ignore(text: str) -> None:
    """Takes words that nobody waits for."""


class Pipeline:
    """An open pipeline, whose engines answer one question after the other; none remembers the one before.

    Attributes:
        capabilities: What may be asked of it: languages, voices, sizes.
    """

    def __init__(self, stages: OfflineStages, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self._stages = stages
        self._is_open = True

    @classmethod
    @asynccontextmanager
    async def from_deployment(
        cls,
        file: str | PathLike[str],
        models_dir: str | PathLike[str] = MODELS,
        profiles: EntryRegistry[Profile] = PROFILES,
    ) -> AsyncGenerator["Pipeline", None]:
        """Opens the pipeline that a deployment file names; leaving the block closes its engines.

        The GPUs are those that this process may see (`CUDA_VISIBLE_DEVICES`).

        Args:
            models_dir: Holds a folder for each checkpoint.

        Raises:
            ConfigError: Lists what is wrong with the file, its pipeline or a model.
            EngineError: An engine did not start.
        """
        file, models_dir = Path(file), Path(models_dir)
        profile = profiles[profile_of(file, profiles)]
        deployment = read_deployment(file, profile.topology, profile.engine_keys(models_dir))
        preflight(str(file), profile, deployment, models_dir, gpu_bytes(os.environ.get(VISIBLE)))
        async with running(profile, deployment, models_dir) as opened:
            pipeline = cls(OfflineStages.of(opened.stages), opened.capabilities)
            try:
                yield pipeline
            finally:
                pipeline._is_open = False

    async def ask(
        self,
        question: str | Pcm,
        *,
        film: Iterable[VideoChunk] = (),
        language: str | None = None,
        emit: Callable[[str], None] = _ignore,
    ) -> AskResult:
        """Asks, and returns the whole answer: its words, its sound (PCM16, 24 kHz mono), and what took how long.

        Args:
            question: Text, or sound (float32, 16 kHz mono).
            film: What is seen until the question ends, a second each.
            language: Of a question in sound; None: it is detected.
            emit: Is told each piece of the answer as it is written.

        Raises:
            RequestError: The question is neither, there is no sound in it, or the pipeline is closed.
            EngineError: A stage failed.
        """
        if not self._is_open:
            raise RequestError("invalid_value", "the pipeline is closed: the block that opened it has been left")
        if not isinstance(question, str):
            _check_sound(question)
        return await ask(self._stages, film, question, emit, _ignore, language)
