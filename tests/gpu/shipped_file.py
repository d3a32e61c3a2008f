"""Writes a shipped deployment as a measurement starts it: made-up weights, fixed lengths, small ones on a CPU."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

SESSIONS_TINY = 4


@dataclass(frozen=True, slots=True)
class MadeUp:
    """What differs of a shipped file.

    Attributes:
        tokens: That the stages write, by their names: `max_tokens`.
        tiny: What of their `engine_args` has room on a CPU, by their names; each stage has some.
        batch_tiny: Requests that each stage computes at once there; None: as many as the file says.
    """

    tokens: Mapping[str, int]
    tiny: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    batch_tiny: int | None = None


def write_shipped(path: Path, shipped: Path, made_up: MadeUp, *, tiny: bool) -> None:
    """The shipped file; what differs are `load_format` and `max_tokens`, and with `tiny` what has no room on a CPU."""
    told = yaml.safe_load(shipped.read_text())
    for stage in told["stage_args"]:
        args = stage["engine_args"]
        name = args["model_stage"]
        args["load_format"] = "dummy"
        if name in made_up.tokens:
            stage["default_sampling_params"]["max_tokens"] = made_up.tokens[name]
        if tiny:
            args |= made_up.tiny[name]
            if "quantization" in args:  # weights of 8 bits are multiplied with numbers of 16
                args["dtype"] = "float16"
            if made_up.batch_tiny:
                stage["runtime"]["max_batch_size"] = made_up.batch_tiny
            if name in made_up.tokens:
                stage["default_sampling_params"] |= {"temperature": 0.0, "top_k": -1, "top_p": 1.0}
    if tiny:
        told["max_sessions"] = SESSIONS_TINY
    path.write_text(yaml.safe_dump(told, sort_keys=False))


def shipped_models(shipped: Path) -> dict[str, str]:
    """The folders that a file names, by the names of its stages."""
    stages = yaml.safe_load(shipped.read_text())["stage_args"]
    return {stage["engine_args"]["model_stage"]: stage["engine_args"]["model"] for stage in stages}
