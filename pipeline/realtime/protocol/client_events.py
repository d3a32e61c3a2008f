"""What a client may send on `/v1/realtime`.

The events and their fields are those of the OpenAI Realtime API (GA); those marked (ours) are additions.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from pipeline.media.video_chunk import VideoSource
from pipeline.types.function_tools import ToolMode

Modalities = list[Literal["text", "audio"]]
Ignored = Any  # of a field of OpenAI's, or of a client's idea of it, that means nothing here and does no harm


class StrictStruct(Struct, forbid_unknown_fields=True):
    """A field that nobody knows is a mistake of the client's."""


class Format(StrictStruct):
    """`audio/pcm` (24 kHz; `rate: 16000` is ours), `audio/pcmu` or `audio/pcma` (8 kHz)."""

    type: Literal["audio/pcm", "audio/pcmu", "audio/pcma"]
    rate: int | None = None


class TurnDetection(StrictStruct):
    type: Literal["server_vad", "semantic_vad"] | None = "server_vad"
    threshold: float | None = None
    prefix_padding_ms: int | None = None
    silence_duration_ms: int | None = None
    eagerness: Literal["low", "medium", "high", "auto"] | None = None
    create_response: bool | None = None
    interrupt_response: bool | None = None
    idle_timeout_ms: Ignored = None


class Transcription(StrictStruct):
    language: str | None = None
    model: str | None = None
    prompt: str | None = None
    delay: Ignored = None
    keywords: Ignored = None
    languages: Ignored = None


class AudioInput(StrictStruct):
    format: Format | None = None
    transcription: Transcription | UnsetType | None = UNSET
    turn_detection: TurnDetection | UnsetType | None = UNSET
    noise_reduction: Ignored = None


class AudioOutput(StrictStruct):
    """How answers sound.

    Attributes:
        language: (ours) ISO 639-1 code of what is spoken in; without it, in what the caller is heard to speak.
        instructions: (ours) In words, how to speak; a voice that takes none refuses them.
    """

    format: Format | None = None
    voice: str | dict[str, Any] | None = None
    speed: float | None = None
    language: str | None = None
    instructions: str | None = None


class AudioSettings(StrictStruct):
    input: AudioInput | None = None
    output: AudioOutput | None = None


class AuraSettings(StrictStruct):
    """`session.aura` (ours).

    Attributes:
        partials: Send `input_audio_buffer.partial` while the person speaks.
        proactive: What becomes of an answer that nobody asked for.
        camera: Take pictures.
        observations: Send `aura.observation`: what is recognised in the pictures.
        sees, tools, transcribes, voices, languages, voice_languages, resume_token: As they were shown.
    """

    partials: bool | None = None
    proactive: Literal["offer", "speak", "off"] | None = None
    camera: bool | None = None
    observations: bool | None = None
    sees: Ignored = None
    transcribes: Ignored = None
    tools: Ignored = None
    voices: Ignored = None
    languages: Ignored = None
    voice_languages: Ignored = None
    resume_token: Ignored = None


class WireTool(StrictStruct):
    """A function that the client can run.

    Attributes:
        parameters: JSON Schema of an object: its arguments.
    """

    name: str
    type: Literal["function"] = "function"
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: Ignored = None


class FunctionChoice(StrictStruct):
    """Names the one function that is to be called."""

    name: str
    type: Literal["function"] = "function"


class SessionSettings(StrictStruct):
    """Holds the `session` of a `session.update`; what is None stays as it is.

    Attributes:
        temperature: Comes from OpenAI's older sessions and from pipecat. It is checked; each model here has its own.
    """

    type: Literal["realtime"] | None = None
    model: str | None = None
    instructions: str | None = None
    output_modalities: Modalities | None = None
    audio: AudioSettings | None = None
    max_output_tokens: int | Literal["inf"] | None = None
    temperature: float | None = None
    aura: AuraSettings | None = None
    tools: list[WireTool] | None = None
    tool_choice: ToolMode | FunctionChoice | None = None
    parallel_tool_calls: bool | None = None
    id: Ignored = None
    object: Ignored = None
    expires_at: Ignored = None
    include: Ignored = None
    prompt: Ignored = None
    reasoning: Ignored = None
    tracing: Ignored = None
    truncation: Ignored = None


class Content(StrictStruct):
    type: str
    text: str | None = None
    transcript: str | None = None
    audio: str | None = None
    image_url: str | None = None
    source: VideoSource | None = None  # (ours) what took the picture
    detail: Ignored = None


class WireItem(StrictStruct):
    type: str
    id: str | None = None
    role: Literal["user", "assistant", "system"] | None = None
    content: list[Content] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | None = None
    object: Ignored = None
    status: Ignored = None
    server_label: Ignored = None
    tools: Ignored = None
    approval_request_id: Ignored = None
    approve: Ignored = None
    reason: Ignored = None
    error: Ignored = None


class ResponseSettings(StrictStruct):
    instructions: str | None = None
    output_modalities: Modalities | None = None
    audio: AudioSettings | None = None
    max_output_tokens: int | Literal["inf"] | None = None
    metadata: dict[str, str] | None = None
    conversation: Literal["auto", "none"] | None = None
    input: list[WireItem] | None = None
    temperature: float | None = None
    tools: list[WireTool] | None = None
    tool_choice: ToolMode | FunctionChoice | None = None
    parallel_tool_calls: bool | None = None
    prompt: Ignored = None
    reasoning: Ignored = None


class ClientEvent(StrictStruct, kw_only=True):
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
    """(ours) One JPEG, base64; the clock is whatever goes on while there is no sound, by default the loop's.

    It is one clock for a camera and a shared screen.
    """

    image: str
    timestamp_ms: int | None = None
    source: VideoSource = "camera"


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
BY_TYPE = {str(event.__struct_config__.tag): event for event in EVENTS}
