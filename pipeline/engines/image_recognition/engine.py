"""Recognises what is in pictures: things by two judges, text by a reader, in a process of its own."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Self
from weakref import WeakValueDictionary

from pipeline.engines.child_process import ChildProcess
from pipeline.engines.embedded_models import (
    CLASSIFIER_FILES,
    DETECTOR_FILES,
    FETCHED,
    NO_MODEL,
    TEXT_READER_FILES,
)
from pipeline.engines.image_recognition.messages import Answer, DropLook, LookFailed, LookRequest, RecognizerSettings
from pipeline.engines.image_recognition.observation_cache import ObservationCache, PictureKey
from pipeline.engines.model_files import model_folder
from pipeline.errors import EngineError
from pipeline.media.video_chunk import Pixels, VideoChunk
from pipeline.types.observation import Observation, RecognitionPrompt

STAGE = "vision"
CHILD = (sys.executable, "-m", "pipeline.engines.image_recognition.child")
OPEN_S = 60.0
NICENESS = 10
MOST_DROPPED = 16  # pictures of which the process has not even read that nobody wants them: it hangs


class ImageRecognitionEngine:
    """`Engine[RecognitionPrompt, Observation]`. A process that has died takes its requests with it, and serves no more.

    Pictures of all callers are looked at one after the other; what was seen in the newest ones is remembered.
    """

    def __init__(self, process: ChildProcess) -> None:
        self._process = process
        self._looks = count()
        self._seen = ObservationCache()
        self._looking: WeakValueDictionary[PictureKey, asyncio.Lock] = WeakValueDictionary()

    @classmethod
    async def open(
        cls,
        models_dir: Path,
        *,
        detector: str = "yolox-nano",
        classifier: str = "efficientnet-lite3",
        reader: str = "pp-ocrv6-small",
        threads: int = 1,
        child: Sequence[str] = CHILD,
    ) -> Self:
        """Starts the process, which loads the models.

        Args:
            models_dir: The folder with a folder for each model.
            reader: Reads text; `NO_MODEL`: nobody does.
            threads: On which each model computes.

        Raises:
            ConfigError: A model is missing or damaged; it is named.
            EngineError: The process did not start.
        """
        things = model_folder(models_dir, [detector], DETECTOR_FILES, FETCHED) / DETECTOR_FILES[0]
        kinds = model_folder(models_dir, [classifier], CLASSIFIER_FILES, FETCHED) / CLASSIFIER_FILES[0]
        text = ["", ""]
        if reader != NO_MODEL:
            folder = model_folder(models_dir, [reader], TEXT_READER_FILES, FETCHED)
            text = [str(folder / file) for file in TEXT_READER_FILES]
        settings = partial(
            RecognizerSettings,
            detector=str(things),
            classifier=str(kinds),
            text_finder=text[0],
            text_reader=text[1],
            threads=threads,
            niceness=NICENESS,
        )
        process = ChildProcess(STAGE, "recognises pictures", Answer)
        await process.start(child, settings, OPEN_S)
        return cls(process)

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    async def generate(
        self, request_id: str, prompts: AsyncIterator[RecognitionPrompt]
    ) -> AsyncGenerator[Observation, None]:
        """Yields one observation for each picture of each prompt, in order.

        Raises:
            EngineError: The models cannot cope with a picture, or the process has died.
        """
        async for prompt in prompts:
            for clip in prompt.pictures:
                key = PictureKey(prompt.cache_salt, clip.id)
                async with self._looking.setdefault(key, asyncio.Lock()):  # who comes meanwhile finds what is seen
                    observation = self._seen.get(key, prompt.read)
                    if observation is None:
                        observation = await self._looked(clip, prompt)
                        self._seen.put(key, prompt.read, observation)
                yield observation

    async def busy(self) -> int:
        return await self._process.busy()

    async def died(self) -> None:
        await self._process.ended()

    async def aclose(self) -> None:
        await self._process.aclose()

    async def _looked(self, clip: VideoChunk, prompt: RecognitionPrompt) -> Observation:
        if self._process.unheard >= MOST_DROPPED:
            raise EngineError(STAGE, "the process that recognises pictures does not answer")
        look = next(self._looks)
        pixels: Pixels = clip.frames[-1]
        question = partial(
            LookRequest,
            look=look,
            width=pixels.shape[1],
            height=pixels.shape[0],
            pixels=pixels.tobytes(),
            read=prompt.read,
            owner=prompt.cache_salt,
        )
        try:
            answer = await self._process.ask(question)
        except asyncio.CancelledError:
            self._process.tell(partial(DropLook, look=look))  # the step that it is at ends unheard
            raise
        if isinstance(answer, LookFailed):
            raise EngineError(STAGE, f"a picture cannot be recognised: {answer.reason}")
        observation: Observation = answer.observation
        return observation
