"""Begins and ends a call on virtual time: the agent's side and the pipeline's in one process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from agent.call import Call
from agent.persona.persona import AURA, Persona
from agent.records.call_recording import CallRecording
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from pipeline.telemetry.turn_traces import TurnTraces
from tests.agent.audience import Notes
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.ears import turn_models
from tests.agent.talking.engines import Engines
from tests.agent.talking.invariants import check, check_nothing_runs
from tests.agent.talking.person import Ears, Mouth
from tests.agent.talking.wire import InProcessPipeline
from tests.virtual_time import wall_clocks


@asynccontextmanager
async def talking(
    engines: Engines | None = None,
    *,
    greet: bool = False,
    recording: CallRecording | None = None,
    persona: Persona = AURA,
    traces: TurnTraces | None = None,
) -> AsyncIterator[Conversation]:
    """A call that has begun. What is on its way is heard out, and what must hold of every call is checked."""
    engines = engines or Engines()
    before, failure = asyncio.all_tasks(), None
    with wall_clocks():
        pipeline, notes = InProcessPipeline(engines, traces), Notes()
        call = Call(
            PipelineSettings("http://pipeline", "key"),
            replace(persona, greeting="Hello, I am listening."),
            TURNS["browser"],
            notes,
            connect=pipeline.connect,
            models=turn_models(engines.person),
            recording=recording,
        )
        mouth = Mouth(engines.person)
        ears = Ears(engines.voice, mouth, 1_700_000_000.0)
        call.session.input.audio, call.session.output.audio = mouth, ears
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(ears.play(), name="ears")
            await call.start(greet=greet)
            await asyncio.sleep(1.0)
            conversation = Conversation(call, notes, engines, pipeline, mouth, ears, tasks)
            try:
                yield conversation
                if not conversation.over:
                    await conversation.hears_out()
                check(conversation)
            except Exception as error:
                failure = error  # as it is, not in a group
            await call.aclose()
            playing.cancel()
        if failure:
            raise failure
        check_nothing_runs(engines, before)
