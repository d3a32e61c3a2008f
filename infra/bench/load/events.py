"""Reads what a server says to a caller of a load test: each event once, so that nothing is odd behind it."""

import msgspec

from pipeline.realtime.client import Event, PipelineError


class UnreadableServerEvent(PipelineError):
    """What the server sent is no such event. It breaks off this one call."""


class Metadata(msgspec.Struct, frozen=True):
    """Holds the `metadata` of a response, of which the timings are ours.

    Attributes:
        question: What the caller called the question in `response.create`, if the server tells.
        timings: JSON: what happened inside, in seconds on the session's clock.
    """

    question: str | None = None
    decision: str | None = None
    timings: str = "{}"

    def __post_init__(self) -> None:
        self.moments()

    def moments(self) -> dict[str, float]:
        return msgspec.json.decode(self.timings, type=dict[str, float])


class Details(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None


class UsageReport(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    input_token_details: Details | None = None


class Begun(msgspec.Struct, frozen=True):
    """The response of `response.created`."""

    id: str | None = None
    metadata: Metadata | None = None


class StatusDetails(msgspec.Struct, frozen=True):
    reason: str | None = None


class Ended(msgspec.Struct, frozen=True):
    """The response of `response.done`."""

    status: str
    status_details: StatusDetails | None = None
    id: str | None = None
    metadata: Metadata | None = None
    usage: UsageReport | None = None

    @property
    def by_shutdown(self) -> bool:
        """The server has ended, and the answer with it."""
        return self.status_details is not None and self.status_details.reason == "shutting_down"


class Error(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str = ""


class Created(msgspec.Struct, frozen=True):
    response: Begun

    @property
    def response_id(self) -> str | None:
        return self.response.id


class Done(msgspec.Struct, frozen=True):
    response: Ended

    @property
    def response_id(self) -> str | None:
        return self.response.id


class TextReceived(msgspec.Struct, frozen=True):
    delta: str
    response_id: str | None = None


class AudioReceived(msgspec.Struct, frozen=True):
    """Brings a piece of the sound of a response.

    Attributes:
        delta: PCM16, 24 kHz mono, in Base64.
    """

    delta: str
    response_id: str | None = None


class Fault(msgspec.Struct, frozen=True):
    error: Error
    response_id: None = None


Heard = Created | TextReceived | AudioReceived | Done | Fault

KINDS: dict[str, type[Heard]] = {
    "response.created": Created,
    "response.output_text.delta": TextReceived,
    "response.output_audio_transcript.delta": TextReceived,
    "response.output_audio.delta": AudioReceived,
    "response.done": Done,
    "error": Fault,
}


def read(event: Event) -> Heard | None:
    """What an event says; None: nothing that a load test asks for.

    Raises:
        UnreadableServerEvent: Names the event and its field.
    """
    kind = event.get("type")
    if not isinstance(kind, str):
        raise UnreadableServerEvent("the server sent an event without a type")
    if kind not in KINDS:
        return None
    try:
        return msgspec.convert(event, KINDS[kind])
    except msgspec.MsgspecError as error:
        raise UnreadableServerEvent(f"the server sent `{kind}` that cannot be read: {error}") from error
