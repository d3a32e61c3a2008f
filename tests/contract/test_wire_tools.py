"""Functions on the wire: what is told of a call, in which order, and what is refused."""

import asyncio
import json
from typing import Any

import pytest

from pipeline.engines.fake import writes
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_schema import Event
from tests.contract.wire_sdk import talking
from tests.contract.wire_tools import ARGUMENTS, FIRST, QUESTION, WEATHER, call, weather_line
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

TIME = {"type": "function", "name": "get_time"}


def output_of(called: Event, output: str = "sunny") -> Event:
    return {"type": "function_call_output", "call_id": called["call_id"], "output": output}


async def puts_out(caller: Caller, called: Event, output: str = "sunny") -> Event:
    """Send a call's output, and ask for the answer to it."""
    await caller.send("conversation.item.create", item=output_of(called, output))
    await caller.send("response.create")
    done: Event = (await caller.until("response.done"))["response"]
    return done


async def test_a_call_is_made_and_its_output_answered() -> None:
    async with served(weather_line()) as pipeline, calling(pipeline) as caller:
        session = await caller.updates(tools=[WEATHER, TIME], tool_choice="auto", parallel_tool_calls=False)
        shown = TIME | {"description": "", "parameters": {"type": "object", "properties": {}}}
        assert (session["tools"], session["tool_choice"], session["parallel_tool_calls"]) == (
            [WEATHER, shown],
            "auto",
            False,
        )
        assert session["aura"]["tools"] is True
        done = await caller.asks(QUESTION)
        assert [(item["type"], item["status"]) for item in done["output"]] == [
            ("message", "completed"),
            ("function_call", "completed"),
        ]
        said, called = done["output"]
        assert said["content"][0]["transcript"] == FIRST
        assert (called["name"], json.loads(called["arguments"])) == ("get_weather", ARGUMENTS)
        assert done["metadata"]["decision"] == "answer"
        (delta,) = caller.all("response.function_call_arguments.delta")
        (whole,) = caller.all("response.function_call_arguments.done")
        assert delta["delta"] == whole["arguments"] == called["arguments"]
        assert (whole["output_index"], whole["item_id"], whole["call_id"]) == (1, called["id"], called["call_id"])
        added = {event["item"]["id"]: event for event in caller.all("conversation.item.added")}
        assert added[called["id"]]["previous_item_id"] == said["id"]
        assert (added[called["id"]]["item"]["status"], added[called["id"]]["item"]["arguments"]) == ("in_progress", "")
        answer = await puts_out(caller, called)
        assert answer["output"][0]["content"][0]["transcript"] == "It is sunny there."
        taken = next(event for event in caller.all("conversation.item.done") if "output" in event["item"])
        assert (taken["item"]["type"], taken["item"]["output"]) == ("function_call_output", "sunny")
        assert taken["previous_item_id"] == called["id"]
        await caller.send("conversation.item.retrieve", item_id=called["id"])
        assert (await caller.until("conversation.item.retrieved"))["item"] == called


@pytest.mark.parametrize(
    ("item", "code", "param"),
    [
        ({"type": "function_call_output", "call_id": "call_x", "output": ""}, "invalid_value", "item.call_id"),
        ({"type": "function_call_output", "output": ""}, "invalid_value", "item.call_id"),
        ({"type": "function_call_output", "call_id": "call_x"}, "invalid_value", "item.output"),
        ({"type": "function_call_output", "call_id": "x", "output": "x" * 65_537}, "invalid_value", "item.output"),
        ({"type": "function_call", "arguments": "{}"}, "invalid_value", "item.name"),
        ({"type": "function_call", "name": "f", "arguments": "[]"}, "invalid_value", "item.arguments"),
        ({"type": "function_call", "name": "f", "arguments": "{"}, "invalid_value", "item.arguments"),
        ({"type": "function_call", "name": "f", "call_id": "c" * 257}, "invalid_value", "item.call_id"),
        ({"type": "mcp_call", "name": "f"}, "invalid_value", "item.type"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_an_item_that_cannot_be_is_refused_by_name(item: Event, code: str, param: str) -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.send("conversation.item.create", item=item)
        error = await caller.refusal()
        assert (error["code"], error["param"]) == (code, param)
        assert error["message"].startswith(f"{param}: ")
        await caller.still_works()


async def test_a_call_from_another_conversation_may_be_told_and_forgotten() -> None:
    line = Line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        told = {"id": "c", "type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{}"}
        await caller.send("conversation.item.create", item=told)
        await caller.send("conversation.item.create", item=output_of(told, "sunny"))
        for _ in range(2):
            await caller.until("conversation.item.done")
        await caller.asks()
        call_message, answer, _ = line.questions[-1].messages
        assert (call_message.calls[0].name, answer.text) == ("get_weather", "sunny")
        await caller.send("conversation.item.truncate", item_id="c", audio_end_ms=0)
        assert (await caller.refusal())["code"] == "item_truncate_invalid_item_id"
        await caller.send("conversation.item.delete", item_id="c")
        await caller.until("conversation.item.deleted")
        await caller.asks()
        assert not any(message.call_id for message in line.questions[-1].messages)


async def test_a_response_has_tools_and_a_choice_of_its_own() -> None:
    line = Line(aura=writes(call()))
    async with served(line) as pipeline, calling(pipeline) as caller:
        done = await caller.asks(tools=[WEATHER], tool_choice={"type": "function", "name": "get_weather"})
        assert [item["type"] for item in done["output"]] == ["function_call"]
        assert (await caller.updates())["tools"] == [], "the session's are as they were"
        named = await caller.updates(tools=[WEATHER], tool_choice={"type": "function", "name": "get_weather"})
        assert named["tool_choice"] == {"type": "function", "name": "get_weather"}
        silent = await caller.asks(tool_choice="none")
        assert (silent["status"], silent["output"]) == ("completed", [])
        without = await caller.updates(tools=[TIME])
        assert without["tool_choice"] == "auto", "the one that was named has gone"
        failed = await caller.asks()
        assert failed["status_details"]["error"]["code"] == "invalid_function_call"
        assert "There is no function 'get_weather'; there is: get_time." in failed["status_details"]["error"]["message"]


async def test_an_answer_outside_the_conversation_has_calls_that_join_nothing() -> None:
    async with served(weather_line()) as pipeline, calling(pipeline) as caller:
        await caller.updates(tools=[WEATHER])
        done = await caller.asks(QUESTION, conversation="none")
        assert [item["type"] for item in done["output"]] == ["message", "function_call"]
        assert [event["item"]["type"] for event in caller.all("conversation.item.added")] == ["message"]
        await caller.send("conversation.item.create", item=output_of(done["output"][1]))
        assert (await caller.refusal())["param"] == "item.call_id"


async def test_calls_and_tools_outlive_a_lost_socket() -> None:
    async with served(weather_line()) as pipeline:
        async with calling(pipeline) as caller:
            await caller.updates(tools=[WEATHER])
            token = caller.told[0]["session"]["aura"]["resume_token"]
            called = (await caller.asks(QUESTION))["output"][1]
        async with calling(pipeline, resume=token) as caller:
            assert (await caller.updates())["tools"] == [WEATHER]
            answer = await puts_out(caller, called)
            assert answer["output"][0]["content"][0]["transcript"] == "It is sunny there."


@pytest.mark.parametrize("moment", range(20))
async def test_no_interruption_loses_question_or_result(moment: int) -> None:
    """Twenty interruptions, each a little later while the function runs."""
    line = weather_line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.updates(tools=[WEATHER])
        await caller.says(QUESTION)
        await caller.send("response.create")
        called = await caller.until("response.function_call_arguments.done")
        await asyncio.sleep(moment * 0.01)
        await caller.send("response.cancel")
        await caller.says("And quick, please.")
        await caller.send("conversation.item.create", item=output_of(called))
        await caller.until("response.done")
        while (await caller.until("conversation.item.done"))["item"]["type"] != "function_call_output":
            pass
        await caller.send("response.create")
        done = (await caller.until("response.done"))["response"]
        assert done["status"] == "completed"
    texts = [message.text for message in line.questions[-1].messages]
    assert texts[0] == QUESTION
    assert texts[-2:] == ["sunny", "And quick, please."]


async def test_the_openai_package_calls_a_function_and_uses_its_result() -> None:
    async with talking(weather_line()) as talk:
        session = await talk.updates(tools=[WEATHER], tool_choice="auto", output_modalities=["text"])
        assert session.tools[0].name == "get_weather"
        await talk.asks(QUESTION)
        await talk.connection.response.create()
        whole = await talk.until("response.function_call_arguments.done")
        assert (whole.name, json.loads(whole.arguments)) == ("get_weather", ARGUMENTS)
        done = await talk.until("response.done")
        assert [item.type for item in done.response.output] == ["message", "function_call"]
        item: Any = {"type": "function_call_output", "call_id": whole.call_id, "output": "sunny"}
        await talk.connection.conversation.item.create(item=item)
        await talk.connection.response.create()
        done = await talk.until("response.done")
        assert done.response.output[0].content[0].text == "It is sunny there."


SEVERAL = f"{FIRST} {call()} Still there. {call('get_time')} That is all."


async def test_an_answer_of_several_messages_has_each_in_its_place() -> None:
    async with served(Line(aura=writes(SEVERAL, word_s=0.01))) as pipeline, calling(pipeline) as caller:
        await caller.updates(tools=[WEATHER, TIME])
        done = await caller.asks(QUESTION)
        kinds = ["message", "function_call", "message", "function_call", "message"]
        assert [(item["type"], item["status"]) for item in done["output"]] == [(kind, "completed") for kind in kinds]
        added, ended = caller.all("response.output_item.added"), caller.all("response.output_item.done")
        by_place = {event["output_index"]: event["item"]["id"] for event in added}
        assert by_place == {at: item["id"] for at, item in enumerate(done["output"])}
        assert {event["output_index"]: event["item"] for event in ended} == dict(enumerate(done["output"]))
        messages = [item["id"] for item in done["output"] if item["type"] == "message"]
        for kind in ("response.output_audio.done", "response.content_part.done"):
            assert [event["item_id"] for event in caller.all(kind)] == messages
        transcripts = caller.all("response.output_audio_transcript.done")
        assert [event["transcript"] for event in transcripts] == [FIRST, "Still there.", "That is all."]
        assert [event["output_index"] for event in transcripts] == [0, 2, 4]
        sound = caller.all("response.output_audio.delta")
        assert list(dict.fromkeys((event["item_id"], event["output_index"]) for event in sound)) == [
            (message, at) for message, at in zip(messages, (0, 2, 4), strict=True)
        ]
        for event in sound + caller.all("response.output_audio_transcript.delta"):
            assert by_place[event["output_index"]] == event["item_id"]
        order = {event["item"]["id"]: event["previous_item_id"] for event in caller.all("conversation.item.added")}
        ids = [item["id"] for item in done["output"]]
        assert [order[item_id] for item_id in ids[1:]] == ids[:-1]
