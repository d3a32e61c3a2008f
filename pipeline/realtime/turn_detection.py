"""`turn_detection` of the wire: checked, as the pipeline's endpointing, and as it is shown."""

from typing import Any

from pipeline.activity import Endpointing
from pipeline.errors import RequestError
from pipeline.realtime.events import TurnDetection
from pipeline.setup import Detection

EAGERNESS_MS = {"low": 1_200, "medium": 700, "auto": 700, "high": 400}  # silence after a finished sentence


def checked(detection: TurnDetection | None) -> TurnDetection | None:
    """
    Raises:
        RequestError: Names the field that is out of range.
    """
    if detection is None or detection.type is None:
        return None
    param = "session.audio.input.turn_detection"
    if detection.threshold is not None and not 0 <= detection.threshold <= 1:
        message = f"{param}.threshold: {detection.threshold} is not between 0 and 1"
        raise RequestError("invalid_value", message, f"{param}.threshold")
    if detection.silence_duration_ms is not None and not 0 < detection.silence_duration_ms <= 10_000:
        message = f"{param}.silence_duration_ms: {detection.silence_duration_ms} is not between 1 and 10000"
        raise RequestError("invalid_value", message, f"{param}.silence_duration_ms")
    if detection.prefix_padding_ms is not None and not 0 <= detection.prefix_padding_ms <= 10_000:
        message = f"{param}.prefix_padding_ms: {detection.prefix_padding_ms} is not between 0 and 10000"
        raise RequestError("invalid_value", message, f"{param}.prefix_padding_ms")
    return detection


def detection(wire: TurnDetection | None) -> Detection | None:
    if wire is None:
        return None
    semantic = wire.type == "semantic_vad"
    end_ms = EAGERNESS_MS[wire.eagerness or "auto"] if semantic else wire.silence_duration_ms or 500
    threshold = 0.5 if wire.threshold is None else wire.threshold
    return Detection(
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
