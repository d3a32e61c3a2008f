"""Reading what clients send: whatever comes, the answer is an event or an error that names the fault."""

import random

import pytest
from msgspec import UNSET

from pipeline.realtime.protocol import client_events as events
from pipeline.realtime.protocol.parse import SURE_LEVELS, UnreadableEvent, parse_event


@pytest.mark.parametrize(
    ("text", "code", "param"),
    [
        ("", "invalid_json", None),
        ("{", "invalid_json", None),
        ("[1]", "invalid_json", None),
        ('"response.create"', "invalid_json", None),
        ('{"type": "response.create", "x": Infinity}', "invalid_json", None),
        ('{"type": "response.create", "x": "\\ud800"}', "invalid_json", None),
        ("[" * 100_000, "invalid_json", None),
        ("{}", "unknown_event", "type"),
        ('{"type": 7}', "unknown_event", "type"),
        ('{"type": "response.make"}', "unknown_event", "type"),
        ('{"type": "input_audio_buffer.append"}', "invalid_value", "audio"),
        ('{"type": "input_audio_buffer.append", "audio": 7}', "invalid_value", "audio"),
        ('{"type": "conversation.item.truncate", "item_id": "a", "audio_end_ms": 1e999}', "invalid_json", None),
        (
            '{"type": "conversation.item.truncate", "item_id": "a", "audio_end_ms": "7"}',
            "invalid_value",
            "audio_end_ms",
        ),
        (
            '{"type": "session.update", "session": {"audio": {"input": {"format": {"type": "mp3"}}}}}',
            "invalid_value",
            "session.audio.input.format.type",
        ),
        (
            '{"type": "conversation.item.create", "item": {"type": "message", "content": [{"text": "a"}]}}',
            "invalid_value",
            "item.content[0].type",
        ),
        ('{"type": "response.cancel", "a\\nb": 1}', "unknown_parameter", "a\nb"),
        ('{"type": "response.cancel", "a - at b": 1}', "unknown_parameter", "a - at b"),
        ('{"type": "response.create", "response": {"a - at `b": 1}}', "unknown_parameter", "response.a - at `b"),
    ],
)
def test_a_fault_is_named(text: str, code: str, param: str | None) -> None:
    with pytest.raises(UnreadableEvent) as unreadable:
        parse_event(text)
    assert (unreadable.value.code, unreadable.value.param) == (code, param)


@pytest.mark.parametrize(
    ("session", "choice"),
    [
        ('"audio": {"input": {"turn_detection": {"type": "magic"}}}', "'magic'; there is: semantic_vad, server_vad"),
        ('"output_modalities": ["magic"]', "'magic'; there is: audio, text"),
        ('"aura": {"proactive": "magic"}', "'magic'; there is: off, offer, speak"),
        ('"max_output_tokens": "magic"', "'magic'; there is: inf"),
    ],
)
def test_a_word_that_is_none_of_the_choices_is_told_them(session: str, choice: str) -> None:
    with pytest.raises(UnreadableEvent) as unreadable:
        parse_event(f'{{"type": "session.update", "session": {{{session}}}}}')
    assert str(unreadable.value).endswith(choice)


def test_the_clients_own_id_comes_back_with_the_error() -> None:
    with pytest.raises(UnreadableEvent) as unreadable:
        parse_event('{"type": "nonsense", "event_id": "mine"}')
    assert unreadable.value.event_id == "mine"


def test_a_field_that_means_nothing_here_is_left_alone() -> None:
    text = '{"type": "session.update", "session": {"type": "realtime", "tracing": [1, {"a": null}], "tools": []}}'
    assert isinstance(parse_event(text), events.SessionUpdate)


@pytest.mark.parametrize(
    ("text", "param"),
    [
        ('{"type": "session.update", "session": {"voise": "alto"}}', "session.voise"),
        ('{"type": "session.update", "session": {"audio": {"output": {"pitch": 1}}}}', "session.audio.output.pitch"),
        ('{"type": "session.update", "session": {"aura": {"eyes": true}}}', "session.aura.eyes"),
        ('{"type": "response.create", "response": {"top_p": 1}}', "response.top_p"),
        ('{"type": "response.create", "respond": {}}', "respond"),
        (
            '{"type": "conversation.item.create", "item": {"type": "message", "content": [{"type": "a", "txt": ""}]}}',
            "item.content[0].txt",
        ),
        ('{"type": "input_audio_buffer.commit", "' + "x" * 1_000_000 + '": 1}', "x" * 64),
    ],
    ids=lambda value: value[:80],
)
def test_a_field_that_nobody_knows_is_named(text: str, param: str) -> None:
    with pytest.raises(UnreadableEvent) as unreadable:
        parse_event(text)
    assert (unreadable.value.code, unreadable.value.param) == ("unknown_parameter", param)
    assert str(unreadable.value) == f"{param}: there is no such parameter"


def test_an_event_without_type_is_told_that_it_lacks_one() -> None:
    with pytest.raises(UnreadableEvent, match="type: it is missing"):
        parse_event('{"event_id": "mine", "session": {}}')


def test_a_type_that_is_almost_right_is_told_the_right_one() -> None:
    with pytest.raises(UnreadableEvent, match=r"'response.creates'; did you mean 'response.create'\?"):
        parse_event('{"type": "response.creates"}')


def test_what_is_nested_too_deeply_is_told_how_deep_it_may_be() -> None:
    def nested(levels: int) -> str:
        tracing = "[" * (levels - 2) + "]" * (levels - 2)
        return '{"type": "session.update", "session": {"tracing": ' + tracing + "}}"

    assert isinstance(parse_event(nested(SURE_LEVELS)), events.SessionUpdate)
    with pytest.raises(UnreadableEvent, match=f"nested too deeply: up to {SURE_LEVELS} levels"):
        parse_event(nested(100_000))


def test_null_and_absent_are_different_for_turn_detection() -> None:
    def detection(inner: str) -> object:
        event = parse_event(f'{{"type": "session.update", "session": {{"audio": {{"input": {{{inner}}}}}}}}}')
        assert isinstance(event, events.SessionUpdate) and event.session.audio and event.session.audio.input
        return event.session.audio.input.turn_detection

    assert detection('"turn_detection": null') is None
    assert detection("") is UNSET


def test_noise_never_raises_anything_else() -> None:
    noise = random.Random(7)
    good = '{"type": "conversation.item.create", "item": {"type": "message", "role": "user", "content": []}}'
    for _ in range(2_000):
        text = list(good)
        for _ in range(noise.randint(1, 4)):
            text[noise.randrange(len(text))] = chr(noise.choice([noise.randint(0, 127), noise.randint(128, 0xFFFF)]))
        try:
            parse_event("".join(text))
        except UnreadableEvent:
            continue
