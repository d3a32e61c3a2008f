"""What was recognised in the newest picture of a camera, for whoever shows it or speaks up about it."""

from dataclasses import dataclass
from typing import Any, Protocol

from pipeline.media.video_chunk import VideoChunk
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.turn import chain
from pipeline.types.chunks import TurnId
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest


@dataclass(frozen=True, slots=True)
class Sighting:
    """Is one observation with its place in time.

    Attributes:
        clip: What was looked at: its name, and whether a camera or a screen took it.
        came: When its newest frame came, on the loop's clock in seconds.
    """

    observation: Observation
    clip: VideoChunk
    came: float


class SightingSink(Protocol):
    """Whoever is told what is recognised in what the camera shows, picture after picture."""

    def sighted(self, sighting: Sighting) -> None: ...


async def glance(turn: TurnId, seen: TurnRequest, eyes: tuple[Stage[Any, Any], ...]) -> Observation | None:
    """Have what is seen prefilled, or recognised.

    Returns:
        What was recognised in the newest picture; None: nothing was, or a model that sees has only prefilled it.
    """
    output = SpeculativeOutput(0)
    await chain(turn, seen, eyes, output)
    return output.observations[-1] if output.observations else None
