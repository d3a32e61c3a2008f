"""The answer over which sounds are made: a story, as the voice of the embedded profile tells it."""

from collections.abc import AsyncGenerator, AsyncIterator

import numpy as np

from infra.bench.base.speech import Sound
from pipeline.engines.fake import words_of
from pipeline.engines.hibari.engine import HibariEngine
from pipeline.topology.processors.embedded import text2clauses
from pipeline.types.chunks import Clause, TextChunk
from pipeline.types.history import History
from pipeline.types.turn_request import ResponseOptions, TurnRequest

SHORT = "All right, I will see to that."
QUESTION = "Please tell me a long story about the sea."
STORY = (
    "Once upon a time an old fisherman lived on a small green island, far away from any town, and every morning "
    "he rowed out before the sun was up. His boat was painted blue, his nets were older than his children, and "
    "the gulls knew him by name. One day in autumn the wind turned, clouds came over the hills, and the water "
    "grew as dark as ink. He pulled up his nets, and found in them a bottle, closed with red wax and covered with"
    " tiny shells. Inside lay a map of the coast, drawn by a careful hand, with a cross beside a lonely "
    "lighthouse. He wondered who had sent it, put it under his coat, and steered towards the north. The waves "
    "rose higher, rain drummed upon the planks, and thunder rolled along the cliffs. At midnight he saw a yellow "
    "light, heard a bell ring twice, and knew that somebody was waiting for him. A young woman stood on the "
    "rocks, holding a lantern, and helped him to tie up the boat. They drank hot tea with honey, dried their "
    "clothes before the fire, and spread the map out on the kitchen table."
)


def story_clauses() -> AsyncGenerator[Clause, None]:
    """The clauses in which the embedded pipeline has its voice say the story."""

    async def written() -> AsyncIterator[TextChunk]:
        for word in words_of(STORY):
            yield TextChunk(word)

    return text2clauses(written(), TurnRequest(History(), ResponseOptions()))


async def spoken_story() -> Sound:
    """The story as it is told: 24 kHz mono, to the sample the same each time."""
    voice = await HibariEngine.open()
    try:
        chunks = [chunk async for chunk in voice.generate("story", story_clauses())]
    finally:
        await voice.aclose()
    return np.frombuffer(b"".join(chunk.pcm for chunk in chunks), np.int16)
