"""The agent's mirror of the conversation has the pipeline's order."""

from typing import Any

from livekit.agents import llm

from agent.livekit.chat_context import ChatContextMirror


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
