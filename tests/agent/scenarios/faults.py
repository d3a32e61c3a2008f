"""Faults that are planted in the product, one at a time, to see that the scenarios find them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.aio.background_tasks import OwnedTasks
from agent.call import Call
from agent.console.loudspeaker import Loudspeaker
from agent.livekit.session import AuraRealtimeSession
from agent.turns.tracked_sound import TrackedSound
from pipeline.session.response_manager import ResponseManager
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.history import Item
from pipeline.types.turn_request import TurnRequest


@dataclass(frozen=True, slots=True)
class Fault:
    """What is put in place of a method or property of the product."""

    name: str
    owner: type[Any]
    attribute: str
    instead: Any


def nothing(*_: Any, **__: Any) -> None:
    """Does nothing, where something should be done."""


async def nothing_in_time(*_: Any, **__: Any) -> None:
    """The same of a coroutine."""


def always(value: object) -> Callable[..., object]:
    return lambda *_: value


FAULTS = (
    Fault("the agent does not cancel an answer", AuraRealtimeSession, "interrupt", nothing),
    Fault("the pipeline does not cancel an answer", ResponseManager, "cancel", nothing),
    Fault("an answer is not truncated to what was heard", Item, "heard", lambda item, played_ms: item),
    Fault("a guess is kept though something else was asked", SpeculativeOutput, "discard", nothing),
    Fault("whatever is asked, the first guess is taken for its answer", TurnRequest, "__eq__", always(True)),
    Fault("an answer goes on that should be cancelled", TrackedSound, "is_turn", property(lambda s: not s.over_answer)),
    Fault("a sign of listening ends an answer", TrackedSound, "is_turn", property(always(True))),
    Fault("an answer is not held up while somebody speaks", Loudspeaker, "pause", nothing),
    Fault("an answer that is held up stays so", Loudspeaker, "resume", nothing),
    Fault("a failure is not told", Call, "on_outcome", nothing),
    Fault("what was heard so far is forgotten at a pause", StreamingTranscriber, "resume", nothing),
    Fault("tasks outlive the call", OwnedTasks, "aclose", nothing_in_time),
)
