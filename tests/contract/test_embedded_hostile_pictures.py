"""The real eyes behind the real wire: whatever a camera gives, the next picture is looked at, and all are answered."""

import asyncio
from collections.abc import Iterable
from io import BytesIO
from itertools import count
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.engines.image_recognition.engine import ImageRecognitionEngine
from tests.contract.embedded import MODULE_BACKEND
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_eyes import Recognising
from tests.contract.wire_media import base64
from tests.served import served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

NOISE = np.random.default_rng(1).integers(0, 256, (1_080, 1_920, 3), np.uint8)


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


def page(text: str) -> Image.Image:
    picture = Image.new("RGB", (640, 480), "white")
    ImageDraw.Draw(picture).text((40, 200), text, "black", ImageFont.load_default(60))
    return picture


async def shows(caller: Caller, picture: Image.Image, seconds: Iterable[int], most: int | None = None) -> None:
    """Two pictures for each of these seconds, faster than time goes.

    Args:
        most: Bytes of each that are sent; None: all.
    """
    out = BytesIO()
    picture.save(out, "JPEG")
    image = base64(out.getvalue()[:most])
    for second in seconds:
        for half in (0, 500):
            await caller.send("input_video_buffer.append", image=image, timestamp_ms=second * 1_000 + half)
            await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("picture", "most"),
    [
        (Image.new("RGB", (1, 1), "red"), None),
        (Image.new("RGB", (640, 480), "black"), None),
        (Image.new("RGB", (4_096, 4_096), "white"), None),
        (Image.new("L", (100, 1), 128), None),
        (Image.fromarray(NOISE), None),
        (Image.fromarray(NOISE), 2_000),
    ],
    ids=["1x1", "black", "4096x4096", "line", "noise", "torn"],
)
async def test_what_no_model_was_made_for_is_looked_at_and_the_next_picture_is_read(
    eyes: ImageRecognitionEngine, picture: Image.Image, most: int | None
) -> None:
    async with served(Recognising(eyes=eyes)) as pipeline, calling(pipeline) as caller:
        await caller.updates(aura={"observations": True})
        await shows(caller, picture, range(3), most)
        await caller.still_works()
        async with asyncio.TaskGroup() as tasks:
            filming = tasks.create_task(shows(caller, page("EXIT"), count(3)))
            while "EXIT" not in (await caller.until("aura.observation"))["written"]:
                pass
            filming.cancel()
