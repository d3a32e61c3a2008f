"""Decodes pictures off the event loop."""

import asyncio
from collections.abc import Awaitable
from typing import Protocol

from pipeline.media.video_chunk import Pixels, decoded


class DecodePicture(Protocol):
    """Makes pixels of a picture in a file's form, off the event loop."""

    def __call__(self, data: bytes, /) -> Awaitable[Pixels]:
        """Decodes the file of a picture, away from the event loop.

        Raises:
            RequestError: It is no picture, or cannot be seen.
        """
        ...


async def in_thread(data: bytes) -> Pixels:
    return await asyncio.to_thread(decoded, data)
