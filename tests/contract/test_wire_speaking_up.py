"""A call on the real wire, with a camera: what the pipeline offers is heard, and remembered there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from time import time  # noqa: TID251 - LiveKit stamps its events with the wall clock
from typing import Any

import msgspec
import numpy as np
import pytest
from livekit import rtc

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.livekit.media import RATE
from agent.persona.persona import Persona
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from tests.agent.audience import Notes
from tests.contract.wire_wait import eventually
from tests.scenario import Line
from tests.served import KEY, served
from tests.watcher import ANSWER, Watcher

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

WAVED = "Somebody waved."
WORD_S = 0.3  # of the scripted voice


class Filmed:
    """A call in which a camera films."""

    def __init__(self, call: Call, loudspeaker: WavLoudspeaker, notes: Notes) -> None:
        self.call, self._loudspeaker, self._notes = call, loudspeaker, notes

    @property
    def heard_s(self) -> float:
        samples = np.frombuffer(bytes(self._loudspeaker.recording), np.int16)
        return float(np.count_nonzero(samples)) / RATE

    def decisions(self, what: str) -> list[dict[str, Any]]:
        told = [msgspec.json.decode(value) for _, value in self._notes.of("aura.decision")]
        return [decision for decision in told if decision["what"] == what]

    async def film(self) -> None:
        """Two pictures a second, until cancelled."""
        picture = rtc.VideoFrame(64, 64, rtc.VideoBufferType.I420, bytes(64 * 64 * 3 // 2))
        session = self.call.session.current_agent.realtime_llm_session
        while True:
            session.push_video(picture)
            await asyncio.sleep(0.5)


@asynccontextmanager
async def filmed(line: Line) -> AsyncIterator[Filmed]:
    notes = Notes()
    loudspeaker = WavLoudspeaker(time)
    async with served(line) as pipeline:
        settings = PipelineSettings(pipeline.url, KEY)
        call = Call(settings, Persona("Aura", "Be brief."), TURNS["browser"], notes)
        call.session.output.audio = loudspeaker
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(loudspeaker.play())
            await call.start(greet=False)
            room = Filmed(call, loudspeaker, notes)
            filming = tasks.create_task(room.film())
            yield room
            filming.cancel()
            await call.aclose()
            playing.cancel()


async def test_a_remark_is_offered_accepted_heard_and_remembered() -> None:
    line = Watcher()
    async with filmed(line) as room:
        line.remarks.append(WAVED)
        await eventually(partial(room.decisions, "spoke_up"))
        await eventually(lambda: not room.call.busy)
        assert room.heard_s == pytest.approx(WORD_S * 2, abs=0.05)
        await room.call.write("What is that?")
        assert f"assistant\n{WAVED}" in line.remembered()
        assert room.heard_s == pytest.approx(WORD_S * 6, abs=0.05), ANSWER


async def test_a_remark_that_is_interrupted_stops_the_engines_and_is_remembered_as_far_as_it_was_heard() -> None:
    line = Watcher()
    async with filmed(line) as room:
        line.remarks.append(" ".join(f"number{n}" for n in range(40)) + ".")
        await eventually(lambda: room.heard_s > 1.5)
        room.call.spoken.interrupt()
        await eventually(lambda: not line.busy)
        heard = room.heard_s
        await room.call.write("What is that?")
        kept = sum(f"number{n} " in f"{line.remembered()} " for n in range(40))
        assert 0 < kept <= round(heard / WORD_S) + 1 < 12


async def test_the_pipeline_is_not_asked_for_remarks_when_nobody_wants_them() -> None:
    line = Watcher()
    async with filmed(line) as room:
        await eventually(lambda: len(line.writer.prompts) > 2)
        assert [scene for scene in line.writer.prompts if scene.max_tokens]
        room.call.character.speak_up(False)
        await asyncio.sleep(0.5)
        before = len(line.writer.prompts)
        line.remarks.append(WAVED)
        await eventually(lambda: len(line.writer.prompts) > before + 2)
        assert not [scene for scene in line.writer.prompts[before + 1 :] if scene.max_tokens]
        assert (line.remarks, room.heard_s) == ([WAVED], 0.0)
