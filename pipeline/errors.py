"""The errors of the pipeline.

AuraError
├── ConfigError        a topology, deployment or setting is wrong; lists every fault at once
├── EngineError        an engine failed; ends the turn, spares the session
│   └── FunctionCallError    the model cannot call a function rightly
└── RequestError       a client asked for something impossible; answered with an `error` event
"""

import reprlib
from typing import Any


class AuraError(Exception):
    """Anything that this project raises on purpose."""


class ConfigError(AuraError):
    """Configuration that cannot be used.

    Args:
        source: What all faults are about, such as a file; empty: each says so itself.

    Attributes:
        faults: One sentence per fault, in the order of the file.
    """

    def __init__(self, source: str, faults: list[str]) -> None:
        super().__init__("\n".join(f"{source}: {fault}" if source else fault for fault in faults))
        self.faults = faults


class EngineError(AuraError):
    """An engine could not finish a request.

    Attributes:
        code: Of the failed answer, as clients are told it.
        stage: Name of the stage that failed, for example `aura`.
    """

    code = "engine_failed"

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason


class FunctionCallError(EngineError):
    """A model has called a function wrongly, and has done so again when it was told."""

    code = "invalid_function_call"


class RequestError(AuraError):
    """A client's event that cannot be served; the session lives on.

    Attributes:
        code: One of the codes of the Realtime protocol, for example `invalid_value`.
        param: Path of the offending field, for example `session.audio.input.format.rate`.
    """

    def __init__(self, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param

    def at(self, param: str) -> "RequestError":
        """Returns this error, but of the field in which a client has sent what it is about."""
        return RequestError(self.code, f"{param}: {self.message.removeprefix(f'{self.param}: ')}", param)


def quoted(value: Any) -> str:
    """What somebody has written, on one line and in few words, however much it is."""
    return _BRIEF.repr(value)


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxstring, _BRIEF.maxother, _BRIEF.maxlong = 3, 120, 120, 30
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = 12
