"""What cannot be served is answered with an error that names it, and the next turn works."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from pipeline.engines.fake import writes
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_media import base64, header_of_a_png, loud, picture, quiet
from tests.scenario import Line
from tests.served import ABLE, served

pytestmark = pytest.mark.contract

COUNT = " ".join(f"Number {n}." for n in range(1, 41))


@asynccontextmanager
async def caller_who_goes_on(line: Line | None = None) -> AsyncGenerator[Caller, None]:
    """Afterwards the next turn works, in this session."""
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.until("session.created")
        yield caller
        await caller.still_works()


@pytest.mark.parametrize(
    ("text", "code", "param"),
    [
        ('{"type": "response.create"', "invalid_json", None),
        ('{"a":' * 100_000, "invalid_json", None),
        ('{"type": "response.create", "response": {"max_output_tokens": Infinity}}', "invalid_json", None),
        ('{"type": "conversation.item.delete", "item_id": "\\ud800"}', "invalid_json", None),
        ("[]", "invalid_json", None),
        ("7", "invalid_json", None),
        ('{"type": "response.make"}', "unknown_event", "type"),
        ('{"session": {}}', "unknown_event", "type"),
        ('{"type": "session.update", "session": {"voise": "alto"}}', "unknown_parameter", "session.voise"),
        ('{"type": ["response.create"]}', "unknown_event", "type"),
        ('{"type": "' + "x" * 1_000_000 + '"}', "unknown_event", "type"),
        ('{"type": "conversation.item.create", "item": {"role": "user"}}', "invalid_value", "item.type"),
        ('{"type": "input_audio_buffer.append"}', "invalid_value", "audio"),
        ('{"type": "input_audio_buffer.append", "audio": [1, 2]}', "invalid_value", "audio"),
        ('{"type": "response.create", "event_id": 7}', "invalid_value", "event_id"),
        ('{"type": "response.create", "response": {"metadata": {"a": 1}}}', "invalid_value", "response.metadata[...]"),
    ],
    ids=lambda value: value[:48] if isinstance(value, str) else None,
)
async def test_what_is_no_event(text: str, code: str, param: str | None) -> None:
    async with caller_who_goes_on() as caller:
        await caller.socket.send_str(text)
        error = await caller.refusal()
        assert (error["code"], error["param"]) == (code, param)
        assert len(json.dumps(error)) < 1_000


IMAGE = f"data:image/jpeg;base64,{picture()}"


def user(**part: str) -> dict[str, Any]:
    return {"id": "mine", "type": "message", "role": "user", "content": [part]}


@pytest.mark.parametrize(
    ("event", "code", "param"),
    [
        (("input_audio_buffer.append", {"audio": "#!"}), "invalid_value", "audio"),
        (("input_audio_buffer.append", {"audio": "ümlaut"}), "invalid_value", "audio"),
        (("input_audio_buffer.commit", {}), "input_audio_buffer_commit_empty", None),
        (("input_video_buffer.append", {"image": base64(b"no picture")}), "invalid_value", "image"),
        (("input_video_buffer.append", {"image": picture(5_000, 5_000)}), "invalid_value", "image"),
        *(
            (("input_video_buffer.append", {"image": picture(), "source": source}), "invalid_value", "source")
            for source in ("window", "Screen", "", 1, None, ["screen"])
        ),
        (
            (
                "conversation.item.create",
                {"item": user(type="input_image", image_url=IMAGE, source="window")},
            ),
            "invalid_value",
            "item.content[0].source",
        ),
        (
            ("conversation.item.create", {"item": user(type="input_image", image_url="data:image/jpeg;base64,AAAA")}),
            "invalid_value",
            "item.content[0].image_url",
        ),
        (
            ("conversation.item.create", {"item": user(type="input_image", image_url="http://127.0.0.1/cat.jpg")}),
            "invalid_value",
            "item.content[0].image_url",
        ),
        (
            ("conversation.item.create", {"item": user(type="input_audio", audio="AAAA")}),
            "invalid_value",
            "item.content[0].transcript",
        ),
        (
            ("conversation.item.create", {"item": user(type="output_text", text="No.")}),
            "invalid_value",
            "item.content[0].type",
        ),
        (
            ("conversation.item.create", {"item": {"type": "message", "content": []}}),
            "invalid_value",
            "item.role",
        ),
        (
            ("conversation.item.create", {"item": {"type": "message", "role": "user", "content": []}}),
            "invalid_value",
            "item.content",
        ),
        (("conversation.item.create", {"item": {"type": "message", "role": "user"}}), "invalid_value", "item.content"),
        (
            ("conversation.item.create", {"item": user(type="input_text", text=" ")}),
            "invalid_value",
            "item.content[0].text",
        ),
        (
            ("response.create", {"response": {"input": [{"type": "message", "role": "user", "content": []}]}}),
            "invalid_value",
            "response.input[0].content",
        ),
        (
            ("conversation.item.create", {"item": user(type="input_text", text="Hi"), "previous_item_id": "nobody"}),
            "invalid_value",
            "previous_item_id",
        ),
        (("conversation.item.delete", {"item_id": "nobody"}), "item_delete_invalid_item_id", "item_id"),
        (("conversation.item.retrieve", {"item_id": "nobody"}), "item_retrieve_invalid_item_id", "item_id"),
        (
            ("conversation.item.truncate", {"item_id": "nobody", "content_index": 0, "audio_end_ms": 1}),
            "item_truncate_invalid_item_id",
            "item_id",
        ),
        (
            ("conversation.item.truncate", {"item_id": "nobody", "content_index": 0, "audio_end_ms": -1}),
            "invalid_value",
            "audio_end_ms",
        ),
        (
            ("conversation.item.truncate", {"item_id": "nobody", "content_index": 1, "audio_end_ms": 1}),
            "invalid_value",
            "content_index",
        ),
        *(
            (("input_audio_buffer.activity", {"speaking": speaking, "audio_ms": at_ms}), "invalid_value", "audio_ms")
            for speaking, at_ms in ((True, -1), (False, -1), (False, -(10**400)), (True, 1 << 54))
        ),
        (("response.cancel", {}), "response_cancel_not_active", None),
        (("response.cancel", {"response_id": "nobody"}), "response_cancel_not_active", "response_id"),
        (("session.update", {"session": {"type": "transcription"}}), "invalid_value", "session.type"),
        (("response.create", {"response": {"max_output_tokens": 0}}), "invalid_value", "response.max_output_tokens"),
        (("session.update", {"session": {"max_output_tokens": -1}}), "invalid_value", "session.max_output_tokens"),
        (("session.update", {"session": {"temperature": 99}}), "invalid_value", "session.temperature"),
        (("response.create", {"response": {"temperature": 99}}), "invalid_value", "response.temperature"),
        (
            ("response.create", {"response": {"max_output_tokens": 4_097}}),
            "invalid_value",
            "response.max_output_tokens",
        ),
        (("response.create", {"response": {"input": [{"type": "x"}]}}), "invalid_value", "response.input[0].type"),
        (
            ("response.create", {"response": {"input": [user(type="input_text", text="Hi") | {"id": "one"}] * 2}}),
            "item_create_duplicate_item_id",
            "response.input[1].id",
        ),
        (
            ("response.create", {"response": {"input": [user(type="input_image", image_url=IMAGE) | {"id": ""}] * 65}}),
            "invalid_value",
            "response.input[64].content",
        ),
        (("response.create", {"response": {"conversation": "mine"}}), "invalid_value", "response.conversation"),
        (("conversation.item.create", {"item": user(type="input_text")}), "invalid_value", "item.content[0].text"),
        (
            ("conversation.item.create", {"item": user(type="input_text", text="Hi") | {"id": "x" * 257}}),
            "invalid_value",
            "item.id",
        ),
        (
            ("conversation.item.create", {"item": user(type="input_text", text="Hi") | {"id": "root"}}),
            "invalid_value",
            "item.id",
        ),
    ],
    ids=lambda value: f"{value[0]} {value[1]}"[:80] if isinstance(value, tuple) else None,
)
async def test_what_cannot_be_done(event: tuple[str, dict[str, Any]], code: str, param: str | None) -> None:
    async with caller_who_goes_on() as caller:
        kind, fields = event
        await caller.send(kind, event_id="this-one", **fields)
        error = await caller.refusal()
        assert (error["code"], error["param"], error["event_id"]) == (code, param, "this-one")
        if code == "response_cancel_not_active":
            assert error["message"].startswith("Cancellation failed")


@pytest.mark.parametrize(
    ("session", "param", "known"),
    [
        ({"model": "aura-scriptet"}, "model", "did you mean 'aura-scripted'? there is: aura-scripted"),
        ({"audio": {"output": {"voice": "bass"}}}, "audio.output.voice", "there is: tenor, alto"),
        ({"audio": {"output": {"voice": {"id": "v_1"}}}}, "audio.output.voice", "there is: tenor, alto"),
        ({"audio": {"output": {"language": "tlh"}}}, "audio.output.language", "there is: en, fr"),
        ({"audio": {"output": {"instructions": "Softly."}}}, "audio.output.instructions", "this voice takes none"),
        (
            {"audio": {"input": {"transcription": {"language": "klingon"}}}},
            "audio.input.transcription.language",
            "en, fr",
        ),
        (
            {"audio": {"input": {"transcription": {"model": "ears"}}}},
            "audio.input.transcription.model",
            "scripted-ears",
        ),
    ],
    ids=str,
)
async def test_a_name_that_nobody_has(session: dict[str, Any], param: str, known: str) -> None:
    async with caller_who_goes_on() as caller:
        await caller.send("session.update", session=session | {"instructions": "Never."})
        error = await caller.refusal()
        assert error["param"] == f"session.{param}"
        assert known in error["message"]
        output = await caller.updates(
            audio={"output": {"voice": "alto"}, "input": {"transcription": {"language": "en-GB"}}}
        )
        assert (output["model"], output["instructions"], output["audio"]["output"]["voice"]) == (
            "aura-scripted",
            "",
            "alto",
        )


@pytest.mark.parametrize(
    ("event", "param"),
    [
        (("session.update", {"session": {"instructions": "x" * 1_001}}), "session.instructions"),
        (("session.update", {"session": {"instructions": "x" * 9_000_000}}), "session.instructions"),
        (("response.create", {"response": {"instructions": "x" * 1_001}}), "response.instructions"),
        (
            (
                "conversation.item.create",
                {"item": user(type="input_text", text="x" * 501) | {"role": "system"}},
            ),
            "item.content",
        ),
        (
            ("response.create", {"response": {"input": [user(type="input_text", text="x" * 2_000_001)]}}),
            "response.input[0].content",
        ),
    ],
    ids=lambda value: str(value)[:48],
)
async def test_a_text_is_refused_and_not_cut(event: tuple[str, dict[str, Any]], param: str) -> None:
    async with caller_who_goes_on() as caller:
        await caller.send(event[0], **event[1])
        error = await caller.refusal()
        assert error["param"] == param
        assert error["message"].startswith(f"{param}: the text is too long: about ")
        assert " fit (some " in error["message"]


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (base64(b"no picture"), "image: not a picture that can be read (JPEG, PNG, WEBP, GIF can)"),
        (picture()[:-400][:200], "image: not a picture that can be read (JPEG, PNG, WEBP, GIF can)"),
        (
            base64(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"),
            "image: not a picture that can be",
        ),
        ("#!", "image: not base64: "),
        ("", "image: not a picture that can be read"),
        (header_of_a_png(8_000, 4_000), "image: 8000 x 4000 is larger than 4096 x 4096"),
        (header_of_a_png(200_000, 200_000), "image: the picture is larger than 4096 x 4096"),
        (header_of_a_png(4_000, 10), "image: 4000 x 10 is too narrow to be seen"),
    ],
    ids=lambda value: value[-40:],
)
async def test_a_picture_that_cannot_be_taken(image: str, says: str) -> None:
    async with caller_who_goes_on() as caller:
        await caller.send("input_video_buffer.append", image=image)
        error = await caller.refusal()
        assert (error["code"], error["param"]) == ("invalid_value", "image")
        assert error["message"].startswith(says)
        await caller.send(
            "conversation.item.create", item=user(type="input_image", image_url=f"data:image/png;base64,{image}")
        )
        error = await caller.refusal()
        assert error["param"] == "item.content[0].image_url"
        assert error["message"].startswith(f"item.content[0].image_url: {says.removeprefix('image: ')}")


@pytest.mark.parametrize(
    ("audio_input", "param"),
    [
        ({"format": {"type": "audio/mp3"}}, "format.type"),
        ({"format": {"rate": 24_000}}, "format.type"),
        ({"format": {"type": "audio/pcm", "rate": 44_100}}, "format.rate"),
        ({"format": {"type": "audio/pcmu", "rate": 24_000}}, "format.rate"),
        ({"turn_detection": {"type": "semantic"}}, "turn_detection.type"),
        ({"turn_detection": {"type": "server_vad", "threshold": 7}}, "turn_detection.threshold"),
        ({"turn_detection": {"type": "server_vad", "prefix_padding_ms": -1}}, "turn_detection.prefix_padding_ms"),
    ],
    ids=str,
)
async def test_sound_in_a_format_that_is_not_served(audio_input: dict[str, Any], param: str) -> None:
    async with caller_who_goes_on() as caller:
        await caller.send("session.update", session={"audio": {"input": audio_input}, "instructions": "Never."})
        error = await caller.refusal()
        assert (error["code"], error["param"]) == ("invalid_value", f"session.audio.input.{param}")
        assert (await caller.updates())["instructions"] == "", "nothing of a refused update holds"


TOOL = {"type": "function", "name": "look_up", "parameters": {"type": "object"}}


@pytest.mark.parametrize("where", ["session", "response"])
@pytest.mark.parametrize(
    ("settings", "param", "says"),
    [
        ({"tools": [TOOL, TOOL]}, "tools[1].name", "tools[1].name: 'look_up' is there twice"),
        ({"tools": [TOOL | {"name": "look up"}]}, "tools[0].name", "tools[0].name: it is not 1 to 64 letters"),
        ({"tools": [{"type": "function"}]}, "tools[0].name", "tools[0].name: Object missing required field `name`"),
        ({"tools": [{"type": "mcp", "name": "x"}]}, "tools[0].type", "tools[0].type: Invalid enum value 'mcp'"),
        ({"tools": [TOOL | {"name": f"look_up_{n}"} for n in range(65)]}, "tools", "tools: 65 tools, and at most 64"),
        ({"tools": [TOOL | {"description": "x" * 33_000}]}, "tools", "tools: 33,"),
        (
            {"tools": [TOOL, TOOL | {"name": "b"}, TOOL | {"name": "c", "parameters": {"type": "number"}}]},
            "tools[2].parameters",
            "tools[2].parameters: it must be the schema of an object",
        ),
        (
            {"tools": [TOOL | {"parameters": {"type": "object", "properties": {"a": {"type": "hammer"}}}}]},
            "tools[0].parameters",
            "tools[0].parameters: it is no JSON Schema: 'hammer'",
        ),
        (
            {"tools": [TOOL | {"parameters": {"$ref": "https://example.com/schema"}}]},
            "tools[0].parameters",
            "tools[0].parameters: `$ref` 'https://example.com/schema' does not stand in it",
        ),
        ({"tools": [TOOL], "tool_choice": {"name": "b"}}, "tool_choice.name", "tool_choice.name: there is no tool 'b'"),
        ({"parallel_tool_calls": "no"}, "parallel_tool_calls", "parallel_tool_calls: Expected `bool | null`"),
        ({"tools": "hammer"}, "tools", "tools: Expected `array | null`, got `str`"),
        ({"tools": {}}, "tools", "tools: Expected `array | null`, got `object`"),
        ({"tools": ["hammer"]}, "tools[0]", "tools[0]: Expected `object`, got `str`"),
        ({"tool_choice": "required"}, "tool_choice", "tool_choice: there are no tools to choose from"),
        (
            {"tool_choice": "hammer"},
            "tool_choice",
            "tool_choice: Invalid enum value 'hammer'; there is: auto, none, required",
        ),
        ({"tool_choice": 7}, "tool_choice", "tool_choice: Expected `str | object | null`, got `int`"),
        ({"tools": [], "tool_choice": {"name": "b"}}, "tool_choice", "tool_choice: there are no tools to choose from"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_tools_that_cannot_be_offered_are_refused_by_name(
    where: str, settings: dict[str, Any], param: str, says: str
) -> None:
    async with caller_who_goes_on() as caller:
        kind = {"session": "session.update", "response": "response.create"}[where]
        await caller.send(kind, **{where: settings | {"instructions": "Never."}})
        error = await caller.refusal()
        assert (error["code"], error["param"]) == ("invalid_value", f"{where}.{param}")
        assert error["message"].startswith(f"{where}.{says}")
        assert (await caller.updates())["instructions"] == "", "nothing of a refused update holds"
        assert caller.all("response.created") == []


@pytest.mark.parametrize(
    ("speeds", "asked_for", "says"),
    [
        (None, 1.25, "1.25 is not served, the voice knows no speed but 1.0"),
        (None, 0.25, "0.25 is not served, the voice knows no speed but 1.0"),
        ((0.5, 2.0), 0.25, "0.25 is not between 0.5 and 2.0"),
        ((0.5, 2.0), 7, "7.0 is not between 0.5 and 2.0"),
    ],
)
async def test_a_speed_at_which_the_voice_does_not_speak(
    speeds: tuple[float, float] | None, asked_for: float, says: str
) -> None:
    async with served(able=replace(ABLE, speeds=speeds)) as pipeline, calling(pipeline) as caller:
        for kind, where in (("session.update", "session"), ("response.create", "response")):
            await caller.send(kind, **{where: {"audio": {"output": {"speed": asked_for}}}})
            error = await caller.refusal()
            param = f"{where}.audio.output.speed"
            assert (error["code"], error["param"], error["message"]) == ("invalid_value", param, f"{param}: {says}")
        output = await caller.updates(audio={"output": {"speed": 1}})
        assert output["audio"]["output"]["speed"] == 1.0
        await caller.still_works()


async def test_too_little_sound_to_commit() -> None:
    async with caller_who_goes_on() as caller:
        await caller.listens(turn_detection=None)
        await caller.sounds(loud(0.09))
        await caller.send("input_audio_buffer.commit")
        error = await caller.refusal()
        assert error["code"] == "input_audio_buffer_commit_empty"
        assert "100 ms" in error["message"]
        await caller.sounds(loud(0.02))
        await caller.send("input_audio_buffer.commit")
        await caller.until("input_audio_buffer.committed")


async def test_sound_after_the_final_commit() -> None:
    async with caller_who_goes_on() as caller:
        await caller.listens(turn_detection=None)
        await caller.sounds(loud(0.5))
        await caller.send("input_audio_buffer.commit", final=True)
        await caller.until("input_audio_buffer.committed")
        await caller.sounds(quiet(0.1))
        error = await caller.refusal()
        assert (error["code"], error["param"]) == ("invalid_value", "type")


async def test_an_item_that_is_there_already() -> None:
    async with caller_who_goes_on() as caller:
        await caller.says("Hello?", id="mine")
        await caller.says("Hello again?", id="mine")
        error = await caller.refusal()
        assert (error["code"], error["param"]) == ("item_create_duplicate_item_id", "item.id")
        await caller.send("conversation.item.retrieve", item_id="mine")
        assert (await caller.until("conversation.item.retrieved"))["item"]["content"][0]["text"] == "Hello?"


async def test_a_second_answer_while_one_is_given() -> None:
    async with caller_who_goes_on(Line(aura=writes(COUNT))) as caller:
        await caller.says("Count to forty.")
        await caller.send("response.create")
        await caller.until("response.output_audio.delta")
        await caller.send("response.create", event_id="second")
        error = await caller.refusal()
        assert (error["code"], error["event_id"]) == ("conversation_already_has_active_response", "second")
        await caller.send("response.cancel")
        assert (await caller.until("response.done"))["response"]["status"] == "cancelled"
        await caller.updates(output_modalities=["text"])


async def test_what_was_heard_is_at_most_the_whole_answer() -> None:
    longer = {"content_index": 0, "audio_end_ms": int("9" * 400)}
    async with caller_who_goes_on(Line(aura=writes(COUNT))) as caller:
        await caller.send("response.create")
        item_id = (await caller.until("response.output_audio.delta"))["item_id"]
        for finish in ("response.cancel", "conversation.item.retrieve"):
            await caller.send("conversation.item.truncate", item_id=item_id, **longer)
            await caller.send(finish, **({"item_id": item_id} if finish.endswith("retrieve") else {}))
        item = (await caller.until("conversation.item.retrieved"))["item"]
        assert item["content"][0]["transcript"].startswith("Number 1. Number 2.")
        assert len(caller.all("conversation.item.truncated")) == 2
        assert caller.all("error") == []
        await caller.updates(output_modalities=["text"])


async def test_what_means_nothing_here_is_accepted() -> None:
    async with caller_who_goes_on() as caller:
        output = await caller.updates(
            type="realtime",
            model="gpt-realtime",
            tools=[],
            tool_choice="none",
            parallel_tool_calls=True,
            tracing="auto",
            truncation="auto",
            prompt={"id": "pmpt_1"},
            include=["item.input_audio_transcription.logprobs"],
            max_output_tokens="inf",
            reasoning={"effort": "low"},
            temperature=0.8,
            audio={
                "input": {"noise_reduction": {"type": "near_field"}, "transcription": {"model": "whisper-1"}},
                "output": {"voice": "marin", "speed": 1.25},
            },
        )
        assert (output["tools"], output["tool_choice"], output["tracing"], output["prompt"]) == ([], "none", None, None)
        assert output["audio"]["input"]["noise_reduction"] is None
        assert output["audio"]["output"]["speed"] == 1.25
        assert output["model"] == "aura-scripted"
        assert output["audio"]["input"]["transcription"]["model"] == "scripted-ears"
        assert output["audio"]["output"]["voice"] == "tenor", "what is shown is what holds"
        await caller.send("output_audio_buffer.clear")
        assert (await caller.asks(tools=[], tool_choice="auto", prompt=None))["status"] == "completed"
        assert (await caller.asks(tools=None, tool_choice=None))["status"] == "completed"
