"""What a client may send on `/v1/realtime`, and its strict but forgiving reading.

The events and their fields are those of the OpenAI Realtime API (GA); those marked (ours) are additions.
A field that means nothing here is accepted and left alone; a field of the wrong type is refused by name.
"""

import re
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from pipeline.errors import RequestError

Modalities = list[Literal["text", "audio"]]


class Format(Struct):
    """`audio/pcm` (24 kHz; `rate: 16000` is ours), `audio/pcmu` or `audio/pcma` (8 kHz)."""

    type: Literal["audio/pcm", "audio/pcmu", "audio/pcma"]
    rate: int | None = None


class TurnDetection(Struct):
    type: Literal["server_vad", "semantic_vad"] | None = "server_vad"
    threshold: float | None = None
    prefix_padding_ms: int | None = None
    silence_duration_ms: int | None = None
    eagerness: Literal["low", "medium", "high", "auto"] | None = None
    create_response: bool | None = None
    interrupt_response: bool | None = None


class Transcription(Struct):
    language: str | None = None
    model: str | None = None
    prompt: str | None = None


class AudioInput(Struct):
    format: Format | None = None
    transcription: Transcription | UnsetType | None = UNSET
    turn_detection: TurnDetection | UnsetType | None = UNSET


class AudioOutput(Struct):
    format: Format | None = None
    voice: str | dict[str, Any] | None = None
    speed: float | None = None


class AudioSettings(Struct):
    input: AudioInput | None = None
    output: AudioOutput | None = None


class AuraSettings(Struct):
    """`session.aura` (ours).

    Attributes:
        partials: Send `input_audio_buffer.partial` while the person speaks.
        proactive: What becomes of an answer that nobody asked for.
        camera: Take pictures.
    """

    partials: bool | None = None
    proactive: Literal["offer", "speak", "off"] | None = None
    camera: bool | None = None


class SessionSettings(Struct):
    type: Literal["realtime"] | None = None
    model: str | None = None
    instructions: str | None = None
    output_modalities: Modalities | None = None
    audio: AudioSettings | None = None
    max_output_tokens: int | Literal["inf"] | None = None
    aura: AuraSettings | None = None


class Content(Struct):
    type: str
    text: str | None = None
    transcript: str | None = None
    audio: str | None = None
    image_url: str | None = None


class WireItem(Struct):
    type: str
    id: str | None = None
    role: Literal["user", "assistant", "system"] | None = None
    content: list[Content] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | None = None


class ResponseSettings(Struct):
    instructions: str | None = None
    output_modalities: Modalities | None = None
    audio: AudioSettings | None = None
    max_output_tokens: int | Literal["inf"] | None = None
    metadata: dict[str, str] | None = None
    conversation: Literal["auto", "none"] | None = None
    input: list[WireItem] | None = None


class ClientEvent(Struct, kw_only=True):
    event_id: str | None = None


class SessionUpdate(ClientEvent, tag="session.update"):
    session: SessionSettings


class AudioAppend(ClientEvent, tag="input_audio_buffer.append"):
    audio: str


class AudioCommit(ClientEvent, tag="input_audio_buffer.commit"):
    final: bool = False  # (ours) no more sound will come in this session


class AudioClear(ClientEvent, tag="input_audio_buffer.clear"):
    pass


class AudioActivity(ClientEvent, tag="input_audio_buffer.activity"):
    """(ours) A client with its own voice activity detection: the person starts or pauses."""

    speaking: bool
    audio_ms: int | None = None


class VideoAppend(ClientEvent, tag="input_video_buffer.append"):
    """(ours) One JPEG, base64; the clock is the sound appended so far."""

    image: str
    timestamp_ms: int | None = None


class ItemCreate(ClientEvent, tag="conversation.item.create"):
    item: WireItem
    previous_item_id: str | None = None


class ItemDelete(ClientEvent, tag="conversation.item.delete"):
    item_id: str


class ItemRetrieve(ClientEvent, tag="conversation.item.retrieve"):
    item_id: str


class ItemTruncate(ClientEvent, tag="conversation.item.truncate"):
    item_id: str
    audio_end_ms: int
    content_index: int = 0


class ResponseCreate(ClientEvent, tag="response.create"):
    response: ResponseSettings | None = None


class ResponseCancel(ClientEvent, tag="response.cancel"):
    response_id: str | None = None


class OutputClear(ClientEvent, tag="output_audio_buffer.clear"):
    """WebRTC and SIP only at OpenAI; here nothing is buffered beyond what has been sent."""


EVENTS: tuple[type[ClientEvent], ...] = (
    SessionUpdate, AudioAppend, AudioCommit, AudioClear, AudioActivity, VideoAppend, ItemCreate, ItemDelete,
    ItemRetrieve, ItemTruncate, ResponseCreate, ResponseCancel, OutputClear,
)  # fmt: skip
BY_TYPE = {event.__struct_config__.tag: event for event in EVENTS}


class Unreadable(RequestError):
    """An event that cannot be read, with the id that its client gave it, if that could be."""

    def __init__(self, code: str, message: str, param: str | None = None, event_id: str | None = None) -> None:
        super().__init__(code, message, param)
        self.event_id = event_id


def read(text: str) -> ClientEvent:
    """One client event.

    Raises:
        Unreadable: `invalid_json`, `unknown_event`, or `invalid_value` with the path of the field.
    """
    try:
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise Unreadable("invalid_json", f"the message is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise Unreadable("invalid_json", "the message is not a JSON object")
    event_id = raw.get("event_id") if isinstance(raw.get("event_id"), str) else None
    kind = BY_TYPE.get(raw["type"]) if isinstance(raw.get("type"), str) else None
    if kind is None:
        raise Unreadable("unknown_event", f"there is no event of type {raw.get('type')!r}", "type", event_id)
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        message, _, path = str(error).partition(" - at ")
        param = ".".join(filter(None, [path.strip("`").removeprefix("$").removeprefix("."), _missing_field(message)]))
        raise Unreadable("invalid_value", f"{param or 'event'}: {message}", param or None, event_id) from error


def _missing_field(message: str) -> str:
    match = re.search(r"required field `(\w+)`", message)
    return match[1] if match else ""
