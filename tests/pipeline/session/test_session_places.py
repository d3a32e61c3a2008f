"""An answer stands behind what it answers, whatever comes before its first word; what comes is answered next."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.engines.fake import hears, writes
from pipeline.errors import RequestError
from pipeline.types.events.input_events import ItemAdded
from pipeline.types.events.response_events import ResponseDone, ResponseItemAdded, ResponseItemDone
from pipeline.types.history import FRONT, History, Item
from tests.room import QUESTION, Room, spelt
from tests.scenario import Caller, Line

WAIT_S = 1.0  # until the first word of an answer


def line(first_s: float = WAIT_S, answer: str = "") -> Line:
    return Line(aura=writes(lambda chat: answer or f"To {chat.messages[-1].text}", first_s=first_s))


def types(caller: Caller, item_id: str, after: str | None = None) -> None:
    caller.session.write(Item(item_id, "user", f"{item_id}?"), after)


def order(caller: Caller) -> list[str]:
    return [item.text for item in caller.session.history.items if not item.reserved]


def request(line: Line) -> list[list[str]]:
    return [[message.text for message in chat.messages] for chat in line.questions]


async def answered(caller: Caller) -> None:
    caller.session.respond()
    await asyncio.sleep(5)


async def test_a_question_typed_before_the_first_word_stands_behind_the_answer_and_is_answered_next() -> None:
    typing = line()
    async with typing.call() as caller:
        types(caller, "one")
        caller.session.respond()
        await asyncio.sleep(WAIT_S / 2)
        types(caller, "two")
        await asyncio.sleep(5)
        assert order(caller) == ["one?", "To one?", "two?"]
        await answered(caller)
    assert request(typing) == [["one?"], ["one?", "To one?", "two?"]]
    previous = [event.previous_item_id for event in caller.all(ItemAdded)]
    assert previous == [None, "one"], "nobody was told of an answer that had no words"
    assert [event.previous_item_id for event in caller.all(ResponseItemAdded)] == ["one", "two"]


async def test_a_question_typed_while_the_one_before_is_still_being_heard_out_is_not_answered_with_it() -> None:
    talking = replace(line(), asr=hears("one?", pass_s=1.0))
    async with talking.call() as caller:
        await caller.says(0.5)
        caller.session.commit()
        caller.session.respond()
        types(caller, "two")
        await asyncio.sleep(5)
        await answered(caller)
    assert request(talking) == [["one?"], ["one?", "To one?", "two?"]]


async def test_a_question_spoken_before_the_first_word_stands_behind_the_answer_and_is_answered_next() -> None:
    talking = replace(line(2.0), asr=hears("two?"))
    async with talking.call() as caller:
        types(caller, "one")
        caller.session.respond()
        await caller.says(0.5)
        caller.session.commit()
        await asyncio.sleep(5)
        assert order(caller) == ["one?", "To one?", "two?"]
        await answered(caller)
    assert request(talking) == [["one?"], ["one?", "To one?", "two?"]]


async def test_who_names_the_newest_item_that_they_know_means_the_end() -> None:
    async with line(answer="Fine.").call() as caller:
        caller.session.respond()  # a greeting
        types(caller, "one", FRONT)
        await asyncio.sleep(5)
        assert order(caller) == ["Fine.", "one?"]
        caller.session.respond()
        types(caller, "two", "one")
        await asyncio.sleep(5)
        assert order(caller) == ["Fine.", "one?", "Fine.", "two?"]


@pytest.mark.parametrize("end", ["silent", "cancelled", "not kept"])
async def test_an_answer_that_never_has_words_for_the_conversation_has_no_place_in_it(end: str) -> None:
    quiet = Line(aura=writes("" if end == "silent" else "Late.", first_s=WAIT_S))
    async with quiet.call() as caller:
        types(caller, "one")
        caller.session.respond(kept=end != "not kept")
        await asyncio.sleep(WAIT_S / 2)
        types(caller, "two")
        if end == "cancelled":
            caller.session.cancel()
        await asyncio.sleep(5)
        assert caller.session.history == History((Item("one", "user", "one?"), Item("two", "user", "two?")))


async def test_nobody_can_do_anything_with_a_place_without_words() -> None:
    async with line().call() as caller:
        types(caller, "one")
        caller.session.respond()
        (place,) = [item.id for item in caller.session.history.items if item.reserved]
        for act in (
            lambda: caller.session.conversation.delete(place),
            lambda: caller.session.conversation.find(place),
            lambda: caller.session.truncate(place, 0),
            lambda: types(caller, "two", place),
        ):
            with pytest.raises(RequestError, match="no item"):
                act()


async def test_an_answer_keeps_its_place_if_the_question_is_deleted_meanwhile() -> None:
    async with line().call() as caller:
        types(caller, "zero")
        types(caller, "one")
        caller.session.respond()
        await asyncio.sleep(WAIT_S / 2)
        types(caller, "two")
        caller.session.conversation.delete("one")
        await asyncio.sleep(5)
        assert order(caller) == ["zero?", "To one?", "two?"]
        (opened,) = caller.all(ResponseItemAdded)
        assert opened.previous_item_id == "zero"


async def test_a_question_typed_while_the_answer_sounds_stands_behind_what_was_heard_of_it() -> None:
    async with line(answer="One two three four. Five six seven eight. Nine ten eleven twelve.").call() as caller:
        types(caller, "one")
        caller.session.respond()
        await asyncio.sleep(WAIT_S + 0.9)
        types(caller, "two")
        caller.session.cancel()
        await answered(caller)
    assert order(caller)[:3] == ["one?", "One two three", "two?"]


@pytest.mark.parametrize("first_s", [1.0, 8.0])
async def test_what_was_seen_before_a_question_that_had_to_wait_stands_in_front_of_it(first_s: float) -> None:
    room = Room(read_s=first_s)
    async with room.call() as caller:
        await asyncio.sleep(3.2)
        caller.session.write(Item("one", "user", QUESTION))
        caller.session.respond()
        await asyncio.sleep(0.7)
        caller.session.write(Item("two", "user", QUESTION))
        await asyncio.sleep(first_s + 2)
        assert len(caller.all(ResponseDone)) == 1
        await answered(caller)
    first, second = room.request
    assert spelt(second).startswith(spelt(first) + "A cup.<|im_end|>\n")
    assert spelt(second).endswith("{s.7}" + QUESTION + "<|im_end|>\n<|im_start|>assistant\n")


async def test_an_answer_ends_behind_what_was_put_in_front_of_it_meanwhile() -> None:
    async with line(answer="A long answer. " * 20).call() as caller:
        types(caller, "one")
        caller.session.respond()
        await asyncio.sleep(WAIT_S + 1)
        types(caller, "late", "one")
        await asyncio.sleep(60)
        assert [event.previous_item_id for event in caller.all(ResponseItemAdded)] == ["one"]
        assert caller.all(ResponseItemDone)[-1].previous_item_id == "late"


async def test_an_answer_that_was_deleted_ends_behind_nothing() -> None:
    async with line(answer="A long answer. " * 20).call() as caller:
        types(caller, "one")
        caller.session.respond()
        await asyncio.sleep(WAIT_S + 1)
        (opened,) = caller.all(ResponseItemAdded)
        caller.session.conversation.delete(opened.item.id)
        await asyncio.sleep(60)
        assert caller.all(ResponseItemDone)[-1].previous_item_id is None
