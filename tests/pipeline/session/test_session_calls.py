"""An answer of several items: what is told when, what stays of it, and what a guess may not do."""

import asyncio

import pytest

from pipeline.engines.fake import speaks, writes
from pipeline.errors import RequestError
from pipeline.types.chunks import ChatMessage, ChatPrompt
from pipeline.types.events import response_events as events
from pipeline.types.function_tools import FunctionTool, ToolOptions
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Caller, Line

LOOK = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
TOOLS = ToolOptions((FunctionTool("look"), FunctionTool("go")))
OFFERED = SessionOptions(ResponseOptions(tools=TOOLS))


def answers(chat: ChatPrompt) -> str:
    """Looks first, and tells what came of it."""
    last = chat.messages[-1]
    return f"It is {last.text}." if last.call_id else f"Let me look. {LOOK}"


def output(call: Item, text: str = "a cat") -> Item:
    return Item(f"output-{call.call_id}", "user", text, kind="function_call_output", call_id=call.call_id)


def ids(caller: Caller) -> list[str]:
    return [item.id for item in caller.session.history.items]


async def test_a_call_is_told_while_the_words_before_it_are_still_to_be_spoken() -> None:
    line = Line(aura=writes(answers, word_s=0.1), tts=speaks(clause_s=2.0))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(5)
        (called,) = caller.all(events.FunctionCalled)
        (opened,) = caller.all(events.ResponseItemAdded)
        done = caller.answer()
    assert (opened.output_index, called.output_index) == (0, 1)
    assert caller.when(events.FunctionCalled) == [0.8], "when its last token is written"
    assert caller.when(events.TranscriptDelta) == [2.2]
    assert (opened.previous_item_id, called.previous_item_id) == ("q", opened.item.id)
    assert [item.kind for item in done.output] == ["message", "function_call"]
    assert (done.status, done.text, done.silence) == ("completed", "Let me look.", None)
    assert [prompt.text for prompt in line.tts.prompts] == ["Let me look."], "nothing of a call is spoken"
    assert ids(caller) == ["q", opened.item.id, called.item.id]


async def test_the_output_of_a_call_is_answered() -> None:
    line = Line(aura=writes(answers))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(5)
        read_ahead = len(line.read_ahead)
        (called,) = caller.all(events.FunctionCalled)
        caller.session.write(output(called.item))
        caller.session.respond()
        await asyncio.sleep(5)
        assert caller.answer().text == "It is a cat."
    assert read_ahead == 1, "what comes next begins with the output: only the session's beginning was read ahead"
    question, said, told = line.questions[-1].messages
    assert (question.text, said.text, said.calls[0].name) == ("What is it?", "Let me look.", "look")
    assert told == ChatMessage("user", "a cat", call_id=said.calls[0].call_id)


async def test_what_is_said_out_of_band_while_a_function_runs_is_heard_and_in_no_prompt() -> None:
    line = Line(aura=writes(answers))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(5)
        (called,) = caller.all(events.FunctionCalled)
        caller.session.respond(ResponseOptions(tools=TOOLS, say="One moment, please."), kept=False)
        await asyncio.sleep(0.5)
        caller.session.write(output(called.item))
        await asyncio.sleep(5)
        held = caller.answer()
        caller.session.respond()
        await asyncio.sleep(5)
        assert caller.answer().text == "It is a cat."
    assert held.text == "One moment, please." and line.tts.prompts[1].text == held.text
    assert [message.text for message in line.questions[-1].messages] == ["What is it?", "Let me look.", "a cat"]
    assert held.output[0].id not in ids(caller)


async def test_an_answer_may_be_nothing_but_calls() -> None:
    async with Line(aura=writes(f"{LOOK} {LOOK}")).call(OFFERED) as caller:
        caller.session.respond()
        await asyncio.sleep(1)
        done = caller.answer()
        assert (done.item, done.status, done.silence) == (None, "completed", None)
        assert [item.name for item in done.calls] == ["look", "look"]
        assert len({item.call_id for item in done.calls}) == 2
        assert [called.output_index for called in caller.all(events.FunctionCalled)] == [0, 1]
        assert [called.previous_item_id for called in caller.all(events.FunctionCalled)] == [None, done.calls[0].id]
        assert ids(caller) == [item.id for item in done.calls], "no place of words without words stays"


async def test_words_behind_a_call_have_their_place_behind_it() -> None:
    async with Line(aura=writes(f"{LOOK} I am looking.", word_s=0.1)).call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(5)
        done = caller.answer()
        (opened,) = caller.all(events.ResponseItemAdded)
    assert [item.kind for item in done.output] == ["function_call", "message"]
    assert (opened.output_index, opened.previous_item_id) == (1, done.calls[0].id)
    assert ids(caller) == ["q", *(item.id for item in done.output)]


SEVERAL = f"Let me look. {LOOK} I am looking. {LOOK} It is dark."


async def test_an_answer_of_several_messages_is_told_in_order_and_each_is_spoken_by_itself() -> None:
    line = Line(aura=writes(SEVERAL, word_s=0.1), tts=speaks(clause_s=0.2))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(9)
        done = caller.answer()
        opened, ended = caller.all(events.ResponseItemAdded), caller.all(events.ResponseItemDone)
        words, sound = caller.all(events.TranscriptDelta), caller.all(events.AudioDelta)
    assert [item.kind for item in done.output] == ["message", "function_call"] * 2 + ["message"]
    assert [each.output_index for each in opened] == [each.output_index for each in ended] == [0, 2, 4]
    assert [each.output_index for each in caller.all(events.FunctionCalled)] == [1, 3]
    texts = ["Let me look.", "I am looking.", "It is dark."]
    assert [each.text for each in ended] == [each.item.text for each in ended] == texts
    assert [prompt.text.strip() for prompt in line.tts.prompts] == texts
    messages = [each.item.id for each in opened]
    assert [(each.item_id, each.text, each.start_ms, each.end_ms) for each in words] == [
        (message, text, 0.0, 900.0) for message, text in zip(messages, texts, strict=True)
    ]
    assert list(dict.fromkeys(each.item_id for each in sound)) == messages
    assert sum(len(each.pcm) for each in sound if each.item_id == messages[1]) == 900 * 48
    assert ids(caller) == ["q", *(item.id for item in done.output)]
    told = [event for _, event in caller.told]
    behind = [event.item_id for event in told[told.index(ended[0]) :] if isinstance(event, events.AudioDelta)]
    assert set(behind) == set(messages[1:]), "a message ends behind its last sound, and before that of the next one"


async def test_of_several_messages_each_keeps_what_was_heard_of_it() -> None:
    line = Line(aura=writes(SEVERAL, word_s=0.1), tts=speaks(1_000))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(5.0)  # of the first message, and of half of the second
        caller.session.cancel()
        done = caller.answer()
        kept = [item.text for item in caller.session.history.items if item.kind == "message"]
        await asyncio.sleep(5)
    assert done.status == "cancelled"
    assert kept == ["What is it?", "Let me look.", "I am", ""]
    assert [item.text for item in done.output if item.kind == "message"] == kept[1:]
    assert [item.complete for item in done.output if item.kind == "message"] == [True, False, False]


async def test_of_messages_that_were_not_begun_nothing_was_heard() -> None:
    async with Line(aura=writes(SEVERAL, word_s=0.01), tts=speaks(1_000)).call(OFFERED) as caller:
        caller.session.respond()
        await asyncio.sleep(1.4)  # of the first message some is played
        caller.session.cancel()
        done = caller.answer()
        told = [event.text for event in caller.all(events.TranscriptDelta)]
    assert told == ["Let me look.", "I am looking."]
    assert [item.text for item in done.output if item.kind == "message"] == ["Let", ""]


async def test_words_around_a_call_are_never_spoken_in_one_breath() -> None:
    line = Line(aura=writes(f"Let me look {LOOK} now it is dark", word_s=0.01))
    async with line.call(OFFERED) as caller:
        caller.session.respond()
        await asyncio.sleep(5)
        assert [item.text for item in caller.answer().output if item.kind == "message"] == [
            "Let me look",
            "now it is dark",
        ]
    assert [prompt.text.strip() for prompt in line.tts.prompts] == ["Let me look", "now it is dark"]


async def test_what_the_caller_says_was_played_is_of_one_message() -> None:
    line = Line(aura=writes(SEVERAL, word_s=0.01), tts=speaks(1_000))
    async with line.call(OFFERED) as caller:
        caller.session.respond()
        await asyncio.sleep(4.0)
        second = caller.all(events.AudioDelta)[-1].item_id
        caller.session.truncate(second, 1_500)
        caller.session.cancel()
        assert caller.remembered(second) == "I am"
        assert caller.remembered(caller.all(events.ResponseItemAdded)[0].item.id) == "Let me look."


async def test_written_messages_are_told_one_after_the_other() -> None:
    line = Line(aura=writes(SEVERAL, word_s=0.1))
    options = SessionOptions(ResponseOptions(modality="text", tools=TOOLS))
    async with line.call(options) as caller:
        caller.session.respond()
        await asyncio.sleep(5)
        done = caller.answer()
        told = [type(event).__name__ for _, event in caller.told if not isinstance(event, events.TextDelta)]
        ended = caller.all(events.ResponseItemDone)
    assert [each.text for each in ended] == ["Let me look.", "I am looking.", "It is dark."]
    message, called = ["ResponseItemAdded", "ResponseItemDone"], ["FunctionCalled"]
    assert told == ["ResponseCreated", *message, *called, *message, *called, *message, "ResponseDone"]
    assert done.text == "Let me look.I am looking.It is dark."


async def test_the_outputs_of_several_calls_stand_last_for_who_is_to_answer_them() -> None:
    line = Line(aura=writes(lambda chat: SEVERAL if len(chat.messages) < 2 else "A cat."))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(9)
        for number, called in enumerate(caller.answer().calls):
            caller.session.write(output(called, f"output {number}"))
        caller.session.respond()
        await asyncio.sleep(5)
    assert [each.text for each in line.questions[-1].messages] == [
        "What is it?",
        "Let me look.",
        "I am looking.",
        "It is dark.",
        "output 0",
        "",
        "output 1",
    ]


async def test_a_guess_calls_nothing_until_the_turn_is_certain() -> None:
    async with Line(aura=writes(answers)).call(OFFERED) as caller:
        await caller.says(0.96)
        await caller.is_silent(0.96)
        assert caller.all(events.FunctionCalled) == [], "they may go on speaking"
        caller.session.commit()
        caller.session.respond()
        asked = asyncio.get_running_loop().time()
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        (when,) = caller.when(events.FunctionCalled)
        assert when == pytest.approx(asked, abs=0.01), "it was written already"


async def test_a_guess_that_was_wrong_has_called_nothing() -> None:
    said: list[str] = []

    def looks(chat: ChatPrompt) -> str:
        said.append(chat.messages[-1].text)
        return LOOK if len(said) == 1 else "No."

    line = Line(aura=writes(looks))
    async with line.call(OFFERED) as caller:
        await caller.says(0.96)
        await caller.is_silent(0.96)
        assert len(line.questions) == 1
        caller.session.commit()
        caller.session.respond(ResponseOptions(tools=TOOLS, instructions="Be brief."))  # asks something else
        await caller.is_silent(1)
        assert caller.all(events.FunctionCalled) == []
        assert caller.answer().text == "No."


async def test_an_interruption_takes_back_no_call_and_loses_no_result() -> None:
    line = Line(aura=writes(lambda chat: f"{'Let me look. ' * 5}{LOOK}" if len(chat.messages) < 2 else answers(chat)))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(0.7)
        caller.session.cancel()
        assert caller.answer().status == "cancelled"
        (called,) = caller.all(events.FunctionCalled)
        assert [item.kind for item in caller.answer().output] == ["message", "function_call"]
        caller.session.write(Item("r", "user", "Quick!"))
        caller.session.write(output(called.item))
        caller.session.respond()
        await asyncio.sleep(5)
    texts = [(each.text, each.call_id != "") for each in line.questions[-1].messages]
    assert texts[-2:] == [("a cat", True), ("Quick!", False)], "the output stands behind its call"


async def test_a_call_that_is_cancelled_before_it_is_complete_was_never_there() -> None:
    async with Line(aura=writes(answers, word_s=1.0)).call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(3.5)
        caller.session.cancel()
        await asyncio.sleep(9)
        assert caller.all(events.FunctionCalled) == []
        assert caller.answer().calls == ()


async def test_a_model_that_cannot_call_fails_the_answer_and_spares_the_session() -> None:
    line = Line(aura=writes(lambda chat: "<tool_call>hm</tool_call>" if chat.messages else "Fine."))
    async with line.call(OFFERED) as caller:
        caller.session.write(Item("q", "user", "What is it?"))
        caller.session.respond()
        await asyncio.sleep(1)
        assert (caller.answer().status, caller.answer().error_code) == ("failed", "invalid_function_call")
        assert caller.session.answering is None


async def test_an_output_needs_a_call_that_has_none() -> None:
    async with Line(aura=writes(LOOK)).call(OFFERED) as caller:
        caller.session.respond()
        await asyncio.sleep(1)
        (call,) = caller.answer().calls
        before = ids(caller)
        stranger = Item("x", "user", "a cat", kind="function_call_output", call_id="call_other")
        with pytest.raises(RequestError, match=r"item.call_id: there is no function call 'call_other'"):
            caller.session.write(stranger)
        caller.session.write(output(call))
        with pytest.raises(RequestError, match="has its output already") as refused:
            caller.session.write(Item("y", "user", "a dog", kind="function_call_output", call_id=call.call_id))
        assert refused.value.param == "item.call_id"
        assert ids(caller) == [*before, f"output-{call.call_id}"]
        with pytest.raises(RequestError, match="is not an answer"):
            caller.session.truncate(call.id, 100)


async def test_a_text_that_is_spoken_as_it_is_calls_nothing() -> None:
    async with Line().call(OFFERED) as caller:
        caller.session.respond(ResponseOptions(tools=TOOLS, say="Write <tool_call> first."))
        await asyncio.sleep(5)
        assert caller.answer().text == "Write <tool_call> first."
        assert caller.all(events.FunctionCalled) == []
