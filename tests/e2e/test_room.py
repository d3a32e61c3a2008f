"""Somebody in a room asks aloud, with a camera on, and is answered aloud."""

from base64 import b64decode
from collections.abc import Callable
from itertools import pairwise
from statistics import median

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.camera import age
from infra.bench.person.person import joined
from tests.e2e.observed import Observed
from tests.e2e.recogniser import Recogniser

pytestmark = pytest.mark.anyio


async def test_a_spoken_question_is_answered_aloud_and_both_are_captioned_while_the_camera_is_watched(
    observed: Observed, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", observed.grant(a_room(), "ann"), camera=True) as ann:
        await ann.greeted()
        answer = await ann.ask(voice.say("What is the capital of France?"))
        assert "Paris" in ears.understand(answer)
        assert "France" in await ann.captioned("user")
        assert "Paris" in await ann.captioned("agent")

        frames = observed.wire("client", "input_video_buffer.append")
        seconds = frames[-1].at - frames[0].at
        assert seconds > 5
        assert (len(frames) - 1) / seconds <= 2.2
        stamps = [frame.what["timestamp_ms"] for frame in frames]
        assert stamps == sorted(stamps)
        ages = [age(b64decode(frame.what["image"]), frame.at) for frame in frames]
        assert median(ages) < 2.0, f"seconds from the camera to the pipeline: {ages}"
        taken = [frame.at - old for frame, old in zip(frames, ages, strict=True)]
        gaps = [after - before for before, after in pairwise(taken)]
        assert min(gaps) > 0, f"not in order: {gaps}"
        assert 0.45 <= median(gaps) <= 0.56, f"seconds between the pictures: {gaps}"  # of 15 a second: 0.47 or 0.53
