"""The microphone of a made-up person: sound leaves it when it says so, however late the loop has been."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from livekit import rtc

from infra.bench.base.speech import RATE
from infra.bench.person.microphone import FRAME, FRAME_S, Microphone
from infra.bench.person.task_scope import task_scope
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio

LOUD = 9_000


@dataclass
class Source:
    """Sends what it is given one frame after the other, as LiveKit's source does.

    Attributes:
        sent: When each frame is sent, and how loud it is.
    """

    stalls: dict[int, float] = field(default_factory=dict)  # by the number of a frame: how long the loop stands then
    sent: list[tuple[float, int]] = field(default_factory=list)

    @property
    def queued_duration(self) -> float:
        ends = self.sent[-1][0] + FRAME_S if self.sent else 0.0
        return max(0.0, ends - asyncio.get_running_loop().time())

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        at = asyncio.get_running_loop().time() + self.queued_duration
        self.sent.append((at, int(np.abs(np.frombuffer(frame.data, np.int16)).max())))
        await asyncio.sleep(self.stalls.get(len(self.sent), 0.0))


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}  # on a busy machine a millisecond is soon late


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Source:
    found = Source()
    monkeypatch.setattr(rtc, "AudioSource", lambda *_, **__: found)
    return found


async def test_after_a_loop_that_stood_still_nothing_is_sent_later_than_it_is_said(source: Source) -> None:
    source.stalls = {5: 0.15, 20: 0.15}
    microphone = Microphone()
    async with task_scope() as beside:
        beside.start(microphone.run(), "microphone")
        await asyncio.sleep(1.0)
        said_at = asyncio.get_running_loop().time()
        utterance = microphone.say(np.full(10 * FRAME, LOUD, np.int16))
        began, ended = await utterance.began, await utterance.ended
    loud = [at for at, level in source.sent if level == LOUD]
    assert (loud[0], loud[-1] + FRAME_S) == pytest.approx((began, ended), abs=1e-3)
    assert began - said_at <= 2 * FRAME_S
    assert len(loud) == 10 and ended - began == pytest.approx(10 * FRAME / RATE, abs=1e-3)
