"""What `session.update` changes, what it refuses, and what is shown."""

import json

import pytest

from pipeline.errors import RequestError
from pipeline.realtime.protocol import client_events as events
from pipeline.realtime.protocol.parse import parse_event
from pipeline.realtime.session_config import SessionConfig
from pipeline.types.session_options import Endpointing
from tests.served import ABLE

FIRST = SessionConfig.at_first(ABLE)


def updated(session: dict[str, object], config: SessionConfig | None = None) -> SessionConfig:
    event = parse_event(json.dumps({"type": "session.update", "session": session}))
    assert isinstance(event, events.SessionUpdate)
    return (config or FIRST).updated(event.session)


def test_server_vad_is_the_default() -> None:
    detection = FIRST.options().detection
    assert detection and detection.endpointing == Endpointing(threshold=0.5, end_ms=500)
    assert (detection.creates_response, detection.interrupts, detection.semantic) == (True, True, False)


def test_an_update_changes_only_what_it_names() -> None:
    config = updated({"instructions": "Be brief.", "audio": {"output": {"voice": "alto", "speed": 1.2}}})
    config = updated({"output_modalities": ["text"]}, config)
    response_options = config.response_options
    assert (
        response_options.instructions,
        response_options.voice,
        response_options.speed,
        response_options.modality,
    ) == ("Be brief.", "alto", 1.2, "text")
    assert config.turn_detection


def test_a_client_may_decide_turns_itself() -> None:
    config = updated({"audio": {"input": {"turn_detection": None}}})
    assert config.options().detection is None
    assert config.shown("s", 0, "t", sees=False)["audio"]["input"]["turn_detection"] is None


def test_the_recogniser_is_told_what_may_be_said() -> None:
    config = updated({"audio": {"input": {"transcription": {"prompt": "é" * 30}}}})
    assert config.response_options.context == "é" * 30
    assert updated({"instructions": "Be brief."}, config).response_options.context == "é" * 30
    for none in (None, {}, {"language": "fr"}, {"prompt": None}, {"prompt": ""}):
        assert updated({"audio": {"input": {"transcription": none}}}, config).response_options.context == ""


def test_eagerness_sets_how_long_silence_is_waited_for() -> None:
    def end_ms(eagerness: str) -> int | None:
        audio = {"input": {"turn_detection": {"type": "semantic_vad", "eagerness": eagerness}}}
        return updated({"audio": audio}).options().endpointing.end_ms

    assert end_ms("high") < end_ms("auto") == end_ms("medium") < end_ms("low")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("session", "param"),
    [
        ({"audio": {"input": {"format": {"type": "audio/pcm", "rate": 8000}}}}, "session.audio.input.format.rate"),
        ({"audio": {"output": {"format": {"type": "audio/pcm", "rate": 16000}}}}, "session.audio.output.format.rate"),
        ({"audio": {"output": {"speed": 9}}}, "session.audio.output.speed"),
        ({"audio": {"input": {"transcription": {"prompt": "x" * 61}}}}, "session.audio.input.transcription.prompt"),
        ({"audio": {"input": {"transcription": {"prompt": "<|" * 21}}}}, "session.audio.input.transcription.prompt"),
        ({"max_output_tokens": 0}, "session.max_output_tokens"),
        ({"max_output_tokens": 4_097}, "session.max_output_tokens"),
        ({"temperature": 99}, "session.temperature"),
        ({"temperature": -0.1}, "session.temperature"),
        ({"output_modalities": []}, "session.output_modalities"),
        (
            {"audio": {"input": {"turn_detection": {"type": "server_vad", "threshold": 2}}}},
            "session.audio.input.turn_detection.threshold",
        ),
        (
            {"audio": {"input": {"turn_detection": {"type": "server_vad", "threshold": 0}}}},
            "session.audio.input.turn_detection.threshold",
        ),
        (
            {"audio": {"input": {"turn_detection": {"type": "server_vad", "silence_duration_ms": -1}}}},
            "session.audio.input.turn_detection.silence_duration_ms",
        ),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(session: dict[str, object], param: str) -> None:
    with pytest.raises(RequestError) as refused:
        updated(session)
    assert refused.value.param == param


def test_what_is_shown_can_be_sent_back() -> None:
    shown = updated({"audio": {"input": {"transcription": {"prompt": "Wouter"}}}}).shown("s", 0, "t", sees=True)
    assert updated(shown).shown("s", 0, "t", sees=True) == shown


def test_the_wishes_of_one_answer_lie_on_top_of_the_sessions() -> None:
    config = updated({"instructions": "Be brief."})
    response = events.ResponseSettings(output_modalities=["text"], metadata={"say": "Hello."}, max_output_tokens=5)
    response_options = config.for_response(response)
    assert (
        response_options.instructions,
        response_options.modality,
        response_options.say,
        response_options.max_tokens,
    ) == ("Be brief.", "text", "Hello.", 5)
    assert config.response_options.modality == "audio"


def test_a_caller_may_name_the_language_of_the_voice_and_take_it_back() -> None:
    config = updated({"audio": {"output": {"language": "fr-CA"}}})
    assert config.response_options.voice_language == "fr"
    assert config.shown("s", 0, "t", sees=False)["audio"]["output"]["language"] == "fr"
    assert updated({"audio": {"output": {"language": ""}}}, config).response_options.voice_language is None


def test_the_voice_is_asked_for_no_language_that_it_does_not_speak() -> None:
    with pytest.raises(RequestError, match="'tlh' is not served; there is: en, fr") as refused:
        updated({"audio": {"output": {"language": "tlh"}}})
    assert refused.value.param == "session.audio.output.language"


def test_a_session_shows_what_there_is_to_choose_from() -> None:
    aura = FIRST.shown("s", 0, "t", sees=False)["aura"]
    assert aura["voices"] == ["tenor", "alto"]
    assert aura["languages"] == ["en", "fr"]
    assert aura["voice_languages"] == ["en", "fr"]
    updated({"aura": aura})  # a client may send back what it was shown
