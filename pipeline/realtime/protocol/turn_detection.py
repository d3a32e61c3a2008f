"""`turn_detection` of the wire: checked, as the pipeline's endpointing, and as it is shown."""

from typing import Any

from pipeline.realtime.protocol.client_events import TurnDetection
from pipeline.realtime.protocol.ranges import check_range
from pipeline.types.session_options import Endpointing, TurnDetectionOptions

EAGERNESS_MS = {"low": 1_200, "medium": 700, "auto": 700, "high": 400}  # silence after a finished sentence

LEAST_PROBABILITY = 0.01  # from 0 on everything would be speech, and no turn would end
MOST_MS = 10_000


def checked(detection: TurnDetection | None) -> TurnDetection | None:
    """Returns turn detection whose numbers are in range; None where it is off.

    Raises:
        RequestError: Names the field that is out of range.
    """
    if detection is None or detection.type is None:
        return None
    param = "session.audio.input.turn_detection"
    check_range(detection.threshold, (LEAST_PROBABILITY, 1), f"{param}.threshold")
    check_range(detection.silence_duration_ms, (1, MOST_MS), f"{param}.silence_duration_ms")
    check_range(detection.prefix_padding_ms, (0, MOST_MS), f"{param}.prefix_padding_ms")
    return detection


def detection(wire: TurnDetection | None) -> TurnDetectionOptions | None:
    if wire is None:
        return None
    semantic = wire.type == "semantic_vad"
    end_ms = EAGERNESS_MS[wire.eagerness or "auto"] if semantic else wire.silence_duration_ms or 500
    threshold = 0.5 if wire.threshold is None else wire.threshold
    return TurnDetectionOptions(
        Endpointing(threshold=threshold, end_ms=end_ms),
        semantic,
        wire.create_response is not False,
        wire.interrupt_response is not False,
    )


def shown(detection: TurnDetection | None) -> dict[str, Any] | None:
    if detection is None:
        return None
    common = {
        "type": detection.type,
        "create_response": detection.create_response is not False,
        "interrupt_response": detection.interrupt_response is not False,
    }
    if detection.type == "semantic_vad":
        return common | {"eagerness": detection.eagerness or "auto"}
    return common | {
        "threshold": 0.5 if detection.threshold is None else detection.threshold,
        "prefix_padding_ms": 300 if detection.prefix_padding_ms is None else detection.prefix_padding_ms,
        "silence_duration_ms": detection.silence_duration_ms or 500,
        "idle_timeout_ms": None,
    }
