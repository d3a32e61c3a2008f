"""Has the embedded profile answer a question about each photo, as if a camera showed it."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent.persona.language import told
from agent.persona.persona import AURA
from infra.bench.vision.photos import Photo
from pipeline.asking.stages import OfflineStages, run_offline, some_stages
from pipeline.media.video_chunk import decoded, second
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.types.chunks import TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation
from pipeline.types.turn_request import ResponseOptions, TurnRequest

NAME = "photos"
ENGLISH = ("en",)  # what the profile's voice speaks: its instructions are read by then


@dataclass(frozen=True, slots=True)
class PhotoAnswer:
    """What was answered to the question about one photo."""

    photo: Photo
    seen: Observation
    text: str

    @property
    def is_right(self) -> bool:
        return any(word.lower() in self.text.lower() for word in self.photo.accept)


async def ask_about(
    models: Path, photos: Sequence[Photo], files: Mapping[str, Path]
) -> AsyncGenerator[PhotoAnswer, None]:
    """Each photo's question, with nothing said before it."""
    async with some_stages(PROFILES[EMBEDDED], models, {"vision": {}, "aura": {}}) as stages:
        for at, photo in enumerate(photos):
            yield await _answer(stages, at, photo, files[photo.name])


async def _answer(stages: OfflineStages, at: int, photo: Photo, file: Path) -> PhotoAnswer:
    shown = History().with_video_turn(second(f"{NAME}.{at}", decoded(file.read_bytes()), None))
    asked = replace(shown, is_live=True).with_item(Item("question", "user", photo.question, "audio"))
    options = ResponseOptions(instructions=told(AURA.instructions, ENGLISH), modality="text", cache_salt=NAME)
    chunks: list[object] = []
    await run_offline(TurnId(NAME, at), TurnRequest(asked, options), stages.answer, chunks.append)
    (seen,) = (chunk for chunk in chunks if isinstance(chunk, Observation))
    return PhotoAnswer(photo, seen, "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk)))
