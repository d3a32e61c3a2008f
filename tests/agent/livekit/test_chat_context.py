"""The agent's mirror of the conversation has the pipeline's order."""

from typing import Any

from livekit.agents import llm

from agent.livekit.chat_context import A_PICTURE, MOST_PICTURES, REMEMBERED, ChatContextMirror


def item(role: str, item_id: str, words: str = "") -> dict[str, Any]:
    return {"type": "message", "role": role, "id": item_id, "content": [{"text": words}] if words else []}


def test_an_answer_stands_behind_what_it_answers_though_something_was_typed_before_its_first_word() -> None:
    history = ChatContextMirror()
    history.told(item("user", "one", "One?"), None)
    wanted = llm.ChatContext([*history.items.items, llm.ChatMessage(role="user", id="two", content=["Two?"])])
    list(history.follow(wanted))
    history.told(item("user", "two", "Two?"), "one")
    history.told(item("assistant", "answer"), "one")
    history.told(item("assistant", "answer", "To one."), "one")
    history.told(item("assistant", "later"), "unknown")
    assert [each.id for each in history.items.items] == ["one", "answer", "two", "later"]
    assert [event["item"]["id"] for event in history.replay()] == ["one", "answer", "two"]


def test_a_greeting_stands_in_front_of_what_was_typed_before_its_first_word() -> None:
    history = ChatContextMirror()
    list(history.follow(llm.ChatContext([llm.ChatMessage(role="user", id="typed", content=["Well?"])])))
    history.told(item("user", "typed", "Well?"), None)
    history.told(item("assistant", "greeting"), None)
    history.told(item("assistant", "greeting", "Hello."), None)
    history.told(item("assistant", "answer", "Well."), "typed")
    assert [event["item"]["id"] for event in history.replay()] == ["greeting", "typed", "answer"]


def test_an_answer_that_was_taken_back_does_not_return_with_its_end() -> None:
    history = ChatContextMirror()
    history.told(item("user", "one", "One?"), None)
    history.told(item("assistant", "answer"), "one")
    assert [event["type"] for event in history.follow(llm.ChatContext.empty())] == ["conversation.item.delete"]
    history.told(item("assistant", "answer", "To one."), None)
    assert [each.id for each in history.items.items] == ["one"]


def pictures(event: dict[str, Any]) -> list[str]:
    return [part["image_url"] for part in event["item"]["content"] if part["type"] == "input_image"]


def test_a_picture_comes_with_the_message_of_its_words_and_with_no_other() -> None:
    history = ChatContextMirror()
    history.expect("What is this?", b"jpeg")
    said: list[llm.ChatItem] = [
        llm.ChatMessage(role="user", id=words, content=[words]) for words in ("Hm.", "What is this?")
    ]
    others, question = history.follow(llm.ChatContext(said))
    assert pictures(others) == []
    assert [part["type"] for part in question["item"]["content"]] == ["input_text", "input_image"]
    assert pictures(question) == ["data:image/jpeg;base64,anBlZw=="]
    again = llm.ChatMessage(role="user", id="again", content=["What is this?"])
    assert [pictures(event) for event in history.follow(llm.ChatContext([*said, again]))] == [[]]


def test_a_picture_without_words_is_a_message_of_its_own() -> None:
    history = ChatContextMirror()
    event = history.show(b"jpeg")
    assert event["item"]["content"][0]["text"] == A_PICTURE
    assert pictures(event) == ["data:image/jpeg;base64,anBlZw=="]
    assert history.unconfirmed() == [event]
    history.told({**event["item"], "content": [{"text": A_PICTURE}]}, None)
    assert len(history.items.items) == 1


def test_a_pipeline_that_knows_nothing_is_given_the_newest_pictures_again() -> None:
    history = ChatContextMirror()
    shown = [history.show(str(at).encode()) for at in range(MOST_PICTURES + 2)]
    assert [pictures(event) for event in history.replay()] == [[], [], *map(pictures, shown[2:])]


def call(number: int) -> llm.FunctionCall:
    return llm.FunctionCall(id=f"item{number}", call_id=f"call{number}", name="look", arguments="{}")


def output(number: int, text: str = "seen") -> llm.FunctionCallOutput:
    return llm.FunctionCallOutput(id=f"out{number}", call_id=f"call{number}", name="look", output=text, is_error=False)


def test_a_call_is_answered_once_and_only_if_the_pipeline_has_made_it() -> None:
    history = ChatContextMirror()
    history.called(call(1))
    assert history.answer(output(2)) is None
    told = history.answer(output(1))
    assert told and told["item"] == {"id": "out1", "type": "function_call_output", "call_id": "call1", "output": "seen"}
    assert history.answer(output(1, "again")) is None
    assert [event["event_id"] for event in history.unconfirmed()] == ["out1"]


def test_a_new_pipeline_is_told_of_calls_with_their_outputs_and_of_no_output_alone() -> None:
    history = ChatContextMirror()
    history.called(call(1))
    history.answer(output(1))
    for number in range(REMEMBERED - 1):
        history.told(item("user", f"u{number}", "Well?"), None)
        history.items.items.append(history.items.items.pop(0))
    kinds = [event["item"]["type"] for event in history.replay()]
    assert kinds == ["message"] * (REMEMBERED - 1), "its call is too old to be told"
    history.items.items = history.items.items[-3:]
    history.called(call(2))
    history.answer(output(2))
    assert [event["item"]["type"] for event in history.replay()][-2:] == ["function_call", "function_call_output"]
