"""Calls and their outputs stand together in a prompt, whatever was said meanwhile."""

from pipeline.types.chunks import ChatMessage
from pipeline.types.function_tools import FunctionCall
from pipeline.types.history import History, Item
from pipeline.types.paired_calls import PENDING


def call(name: str) -> Item:
    return Item(f"call-{name}", "assistant", "{}", kind="function_call", call_id=name, name="look")


def output(name: str, text: str = "a cat") -> Item:
    return Item(f"output-{name}", "user", text, kind="function_call_output", call_id=name)


def made(name: str) -> FunctionCall:
    return FunctionCall(name, "look", "{}")


def test_an_output_stands_behind_its_call_though_a_person_spoke_meanwhile() -> None:
    items = (Item("q", "user", "What is it?"), Item("a", "assistant", "Wait."), call("1"), call("2"))
    later = (Item("r", "user", "Quick!"), output("2", "a dog"), output("1"))
    assert History((*items, *later)).messages() == (
        ChatMessage("user", "What is it?"),
        ChatMessage("assistant", "Wait.", (made("1"), made("2"))),
        ChatMessage("user", "a cat", call_id="1"),
        ChatMessage("user", "a dog", call_id="2"),
        ChatMessage("user", "Quick!"),
    )


def test_words_of_the_model_that_came_before_an_output_stand_in_front_of_the_call() -> None:
    items = (Item("q", "user", "How many?"), call("1"), Item("a", "assistant", "One moment, please."))
    assert History((*items, Item("r", "user", "Quick!"), output("1", "4711"))).messages() == (
        ChatMessage("user", "How many?"),
        ChatMessage("assistant", "One moment, please.", (made("1"),)),
        ChatMessage("user", "4711", call_id="1"),
        ChatMessage("user", "Quick!"),
    )


def test_what_the_model_said_of_an_output_stays_behind_it() -> None:
    items = (Item("q", "user", "How many?"), call("1"), Item("a", "assistant", "One moment."), output("1", "4711"))
    assert [message.text for message in History((*items, Item("b", "assistant", "4711."))).messages()] == [
        "How many?",
        "One moment.",
        "4711",
        "4711.",
    ]


def test_a_call_without_an_output_has_one_that_says_so() -> None:
    assert History((call("1"), Item("q", "user", "And?"))).messages() == (
        ChatMessage("assistant", "", (made("1"),)),
        ChatMessage("user", PENDING, call_id="1"),
        ChatMessage("user", "And?"),
    )


def test_an_output_whose_call_is_deleted_is_left_out() -> None:
    history = History((Item("q", "user", "And?"), call("1"), output("1")))
    assert history.without("call-1").messages() == (ChatMessage("user", "And?"),)


def test_a_call_stands_behind_its_answer_whose_place_is_only_reserved() -> None:
    history = History((Item("q", "user", "And?"), Item("a", "assistant", "", reserved=True), Item("r", "user", "Hm.")))
    history = history.with_answer_item(call("1"), "a").with_answer_item(call("2"), "call-1")
    assert [item.id for item in history.items] == ["q", "a", "call-1", "call-2", "r"]
    assert history.before("call-1") == "q"
    assert [item.id for item in history.with_answer_item(call("3"), "gone").items][-1] == "call-3"


def test_words_behind_a_call_stand_there_and_not_in_the_place_that_was_reserved_for_them() -> None:
    history = History((Item("q", "user", "And?"), Item("a", "assistant", "", reserved=True), Item("r", "user", "Hm.")))
    history = history.with_answer_item(call("1"), "a")
    history = history.with_answer_item(Item("a", "assistant", "There."), "call-1")
    history = history.with_answer_item(Item("b", "assistant", "More."), "a")
    assert [item.id for item in history.items] == ["q", "call-1", "a", "b", "r"]


def test_an_output_is_nothing_that_the_person_said() -> None:
    history = History((Item("q", "user", "Et alors ?", language="fr"), call("1"), output("1")))
    assert history.language == "fr"
