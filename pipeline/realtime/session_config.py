"""The settings of one connection: merges what `session.update` changes, and shows what holds."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from msgspec import UNSET

from pipeline.errors import RequestError
from pipeline.realtime.protocol import known_names as names
from pipeline.realtime.protocol import turn_detection
from pipeline.realtime.protocol.audio import checked, show_format
from pipeline.realtime.protocol.client_events import (
    AudioInput,
    AudioOutput,
    AuraSettings,
    Format,
    ResponseSettings,
    SessionSettings,
    TurnDetection,
)
from pipeline.realtime.protocol.limits import check_context, check_instructions, check_voice_instructions
from pipeline.realtime.protocol.ranges import check_range
from pipeline.realtime.protocol.tools import read_tools, show_choice, show_tools
from pipeline.types.capabilities import Capabilities
from pipeline.types.session_options import Proactive, SessionOptions
from pipeline.types.turn_request import Modality, ResponseOptions

PCM = Format("audio/pcm", 24_000)
TOKENS = (1, 4_096)  # of one answer
TEMPERATURES = (0, 2)


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """Everything that holds for one connection. A value: an update makes a new one, or raises.

    Attributes:
        there: What there is to choose from.
    """

    there: Capabilities
    response_options: ResponseOptions
    listens_to: Format = PCM
    speaks: Format = PCM
    turn_detection: TurnDetection | None = field(default_factory=TurnDetection)
    aura: AuraSettings = field(
        default_factory=lambda: AuraSettings(partials=False, proactive="speak", camera=True, observations=False)
    )

    @classmethod
    def at_first(cls, there: Capabilities) -> Self:
        return cls(there, ResponseOptions(voice=there.voice, modality=there.modalities[0]))

    def updated(self, session: SessionSettings) -> "SessionConfig":
        """Returns the configuration after a `session.update`.

        Raises:
            RequestError: Names the field; nothing has changed.
        """
        config = self
        if session.model is not None:
            names.check_pipeline(session.model, self.there, "session.model")
        if session.aura:
            new, old = session.aura, self.aura
            config = replace(
                config,
                aura=AuraSettings(
                    old.partials if new.partials is None else new.partials,
                    new.proactive or old.proactive,
                    old.camera if new.camera is None else new.camera,
                    old.observations if new.observations is None else new.observations,
                ),
            )
        if session.audio and session.audio.input:
            config = _with_input(config, session.audio.input)
        if session.audio and session.audio.output:
            config = _with_output(config, session.audio.output, "session.audio.output")
        response_options = _response_options(config.response_options, session, self.there, "session")
        return replace(config, response_options=response_options)

    def for_response(self, response: ResponseSettings) -> ResponseOptions:
        """The wishes of one answer, on top of the session's.

        Raises:
            RequestError: Names the field.
        """
        config = self
        if response.audio and response.audio.output:
            config = _with_output(config, response.audio.output, "response.audio.output")
        response_options = _response_options(config.response_options, response, self.there, "response")
        return replace(response_options, say=(response.metadata or {}).get("say"))

    def spoken_in(self, response: ResponseSettings) -> Format:
        """The format of one answer's sound."""
        output = response.audio.output if response.audio else None
        if output is None or output.format is None:
            return self.speaks
        return checked(output.format, "response.audio.output.format", output=True)

    def options(self) -> SessionOptions:
        detection, aura = turn_detection.detection(self.turn_detection), self.aura
        proactive: Proactive = aura.proactive or "off" if aura.camera else "off"
        return SessionOptions(self.response_options, detection, bool(aura.partials), proactive, bool(aura.observations))

    def shown(self, name: str, expires_at: int, resume_token: str, *, sees: bool) -> dict[str, Any]:
        """The `session` of `session.created` and `session.updated`.

        Args:
            sees: The pipeline looks at what a camera shows.
        """
        return {
            "type": "realtime",
            "object": "realtime.session",
            "id": name,
            "model": self.there.model,
            "output_modalities": [self.response_options.modality],
            "instructions": self.response_options.instructions,
            "tools": show_tools(self.response_options.tools),
            "tool_choice": show_choice(self.response_options.tools),
            "parallel_tool_calls": self.response_options.tools.parallel,
            "max_output_tokens": self.response_options.max_tokens or "inf",
            "tracing": None,
            "prompt": None,
            "expires_at": expires_at,
            "include": None,
            "audio": {
                "input": {
                    "format": show_format(self.listens_to),
                    "transcription": self._transcription(),
                    "noise_reduction": None,
                    "turn_detection": turn_detection.shown(self.turn_detection),
                },
                "output": {
                    "format": show_format(self.speaks),
                    "voice": self.response_options.voice,
                    "speed": self.response_options.speed,
                    **({"language": spoken} if (spoken := self.response_options.voice_language) else {}),
                    **({"instructions": told} if (told := self.response_options.voice_instructions) else {}),
                },
            },
            "aura": {
                "partials": self.aura.partials,
                "proactive": self.aura.proactive,
                "camera": self.aura.camera,
                "observations": self.aura.observations,
                "sees": sees,
                "tools": self.there.calls_functions,
                "transcribes": self.there.transcribes,
                "voices": list(self.there.voices),
                "languages": sorted(self.there.languages),
                "voice_languages": list(self.there.voice_languages),
                "resume_token": resume_token,
            },
        }

    def _transcription(self) -> dict[str, Any] | None:
        """None: nobody writes down what is said."""
        if not self.there.transcribes:
            return None
        options = self.response_options
        return {"model": self.there.recogniser, "language": options.language, "prompt": options.context or None}


def _response_options(
    response_options: ResponseOptions,
    settings: SessionSettings | ResponseSettings,
    there: Capabilities,
    param: str,
) -> ResponseOptions:
    tools = read_tools(response_options.tools, settings, there, param)
    response_options = replace(response_options, tools=tools)
    limits = there.limits
    if settings.instructions is not None:
        check_instructions(settings.instructions, limits, f"{param}.instructions")
        response_options = replace(response_options, instructions=settings.instructions)
    if settings.output_modalities == []:
        param = f"{param}.output_modalities"
        raise RequestError("invalid_value", f"{param}: it is empty, there is: audio, text", param)
    if settings.output_modalities:
        modality: Modality = "audio" if "audio" in settings.output_modalities else "text"
        if modality not in there.modalities:
            param = f"{param}.output_modalities"
            served = ", ".join(there.modalities)
            raise RequestError("invalid_value", f"{param}: no {modality} is made here, there is: {served}", param)
        response_options = replace(response_options, modality=modality)
    check_range(settings.temperature, TEMPERATURES, f"{param}.temperature")
    most = settings.max_output_tokens
    if isinstance(most, int):
        check_range(most, TOKENS, f"{param}.max_output_tokens")
        response_options = replace(response_options, max_tokens=most)
    elif most == "inf":
        response_options = replace(response_options, max_tokens=None)
    return response_options


def _with_input(config: SessionConfig, audio: AudioInput) -> SessionConfig:
    if audio.format:
        config = replace(config, listens_to=checked(audio.format, "session.audio.input.format"))
    if audio.transcription is None:
        config = replace(config, response_options=replace(config.response_options, language=None, context=""))
    elif audio.transcription is not UNSET:
        param = "session.audio.input.transcription"
        language = audio.transcription.language or None
        if language:
            names.check_language(language, config.there, f"{param}.language")
        if audio.transcription.model:
            names.check_model(audio.transcription.model, config.there.recogniser, f"{param}.model")
        context = audio.transcription.prompt or ""
        check_context(context, config.there.context_bytes, f"{param}.prompt")
        config = replace(config, response_options=replace(config.response_options, language=language, context=context))
    if audio.turn_detection is not UNSET:
        detection = audio.turn_detection
        config = replace(config, turn_detection=turn_detection.checked(detection))
    return config


def _check_speed(request: float, speeds: tuple[float, float] | None, param: str) -> None:
    if speeds:
        check_range(request, speeds, param)
    elif request != 1:
        raise RequestError(
            "invalid_value", f"{param}: {request} is not served, the voice knows no speed but 1.0", param
        )


def _with_output(config: SessionConfig, audio: AudioOutput, param: str) -> SessionConfig:
    response_options = config.response_options
    if audio.format:
        config = replace(config, speaks=checked(audio.format, f"{param}.format", output=True))
    if audio.voice is not None:
        response_options = replace(response_options, voice=names.voice(audio.voice, config.there, f"{param}.voice"))
    if audio.speed is not None:
        _check_speed(audio.speed, config.there.speeds, f"{param}.speed")
        response_options = replace(response_options, speed=audio.speed)
    if audio.language is not None:
        spoken = names.voice_language(audio.language, config.there, f"{param}.language")
        response_options = replace(response_options, voice_language=spoken)
    if audio.instructions is not None:
        check_voice_instructions(audio.instructions, config.there.voice_instructions, f"{param}.instructions")
        response_options = replace(response_options, voice_instructions=audio.instructions)
    return replace(config, response_options=response_options)
