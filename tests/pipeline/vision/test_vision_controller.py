"""A conversation with a camera, told on virtual time with scripted engines."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.errors import RequestError
from pipeline.types.chunks import Priority
from pipeline.types.events.input_events import OfferMade, VideoSkipped
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from pipeline.vision.offers import OFFER_S
from tests.room import LIMITS, QUESTION, SERVER_VAD, Room, frames, nth, seen, spelt
from tests.scenario import Line


async def test_each_second_is_read_when_it_closes_also_while_the_person_speaks() -> None:
    room = Room()
    async with room.call() as caller:
        await caller.says(4.0)
        assert [name for scene in room.read for name in seen(scene)[-1:] if name == nth(3)], "the fourth"
        spoken = spelt(next(scene for scene in room.read if len(seen(scene)) >= 3))
        assert spoken.count("<|im_start|>assistant\n<|silent|><|im_end|>") >= 2, (
            "the silence of those seconds is written"
        )
        assert not room.considered


async def test_a_question_is_about_what_was_seen_until_its_end() -> None:
    room = Room()
    async with room.call() as caller:
        await caller.says(2.2)
        await caller.is_silent(3.0)
        await asyncio.sleep(2)
    assert [event.text for event in caller.all(ResponseDone)] == ["A cup."]
    assert {spelt(scene) for scene in room.request} == {spelt(room.request[-1])}, "the guess came true: nothing changed"
    assert spelt(room.request[-1]).endswith("{s.4}" + QUESTION + "<|im_end|>\n<|im_start|>assistant\n")
    assert len(room.request) == 1


async def test_a_question_that_is_written_is_about_what_was_read_when_it_came() -> None:
    room = Room()
    async with room.call(SessionOptions()) as caller:
        await asyncio.sleep(3.2)
        caller.session.write(Item("q", "user", QUESTION))
        await asyncio.sleep(0.2)
        (ahead,) = [scene for scene in room.read if scene.priority == Priority.QUESTION]
        caller.session.respond()
        await asyncio.sleep(2)
    (request,) = room.request
    assert spelt(request).startswith(spelt(ahead)) and seen(request) == seen(ahead)


async def test_what_is_asked_at_once_is_not_read_beside_it() -> None:
    room = Room()
    async with room.call(SessionOptions()) as caller:
        await asyncio.sleep(3.2)
        caller.session.respond()
        await asyncio.sleep(2)
    assert not [scene for scene in room.read if scene.priority == Priority.QUESTION]
    assert seen(room.request[-1])[-1] == "s.6"


async def test_what_was_seen_meanwhile_joins_the_conversation_after_the_answer() -> None:
    room = Room(heard_s=1.0)
    async with room.call() as caller:
        await caller.says(2.2)
        await caller.is_silent(6.0)
        after = room.aura.prompts[room.aura.prompts.index(room.request[-1]) + 1]
        assert len(seen(after)) == len(seen(room.request[-1])) + 1, "it is read at once"
        video_turns = caller.session.history.video_turns
        user, answer = caller.session.history.items
    shown = frames(each.clip.id for each in video_turns)
    assert shown == list(range(len(shown))), "none is lost"
    assert {each.after for each in video_turns} == {None, answer.id}
    assert (user.text, answer.text) == (QUESTION, "A cup.")


async def test_a_typed_question_is_about_what_is_seen_now() -> None:
    room = Room()
    async with room.call(SessionOptions()) as caller:
        await asyncio.sleep(3.3)
        caller.session.write(Item("q", "user", QUESTION))
        await asyncio.sleep(0.8)
        caller.session.respond()
        await asyncio.sleep(2)
    assert caller.answer().text == "A cup."
    assert "{s.6}" + QUESTION in spelt(room.request[-1]), "a second that closed before it was to be answered waits"


async def test_who_wants_no_answers_unasked_any_more_hears_none_that_was_in_the_making() -> None:
    room = Room(says={nth(2): "The kettle boils."}, read_s=0.4)
    async with room.call(replace(SERVER_VAD, proactive="speak")) as caller:
        while not room.considered or seen(room.considered[-1])[-1:] != [nth(2)]:
            await caller.is_silent(0.1)
        caller.session.configure(replace(SERVER_VAD, proactive="off"))
        await caller.is_silent(4.0)
        assert caller.heard_ms() == 0


async def test_a_call_that_goes_on_shows_what_its_camera_sees_now() -> None:
    rooms = Room(), Room()
    names: list[str] = []
    async with rooms[0].call(SessionOptions()) as before:
        await asyncio.sleep(2.2)
        history = before.session.history
    async with rooms[1].call(SessionOptions(), history=history) as after:
        await asyncio.sleep(2.2)
        names = [each.clip.id for each in after.session.history.video_turns]
    assert len(names) > len(history.video_turns) > 1
    assert len(set(names)) == len(names), "a name means one picture, in the caches of engines too"


async def test_nobody_asked_and_there_is_something_to_say_it_is_offered_and_not_spoken() -> None:
    room = Room(says={nth(2): "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(4.0)
        (offer,) = caller.all(OfferMade)
        assert (offer.text, offer.stands_ms) == ("The kettle boils.", OFFER_S * 1000)
        assert caller.heard_ms() == 0
        caller.session.respond(metadata={"offer_id": offer.offer_id})
        await asyncio.sleep(3)
    assert caller.heard_text() == "The kettle boils."
    assert caller.heard_ms() > 0
    assert [item.text for item in caller.session.history.items] == ["The kettle boils."]


async def test_an_offer_that_is_ignored_is_dropped() -> None:
    room = Room(says={nth(2): "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(3.5 + OFFER_S)
        (offer,) = caller.all(OfferMade)
        with pytest.raises(RequestError, match="does not stand"):
            caller.session.respond(metadata={"offer_id": offer.offer_id})
        assert caller.session.history.items == ()
        assert room.considered[-1] != room.considered[2], "later it is asked again"


async def test_while_an_offer_stands_no_other_is_made() -> None:
    room = Room(says={nth(number): "The kettle boils." for number in range(20)})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(5.5)
        assert len(caller.all(OfferMade)) == 1


async def test_who_did_not_ask_for_offers_hears_the_answer_itself() -> None:
    room = Room(says={nth(2): "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="speak")) as caller:
        await caller.is_silent(6.0)
    assert not caller.all(OfferMade)
    assert caller.answer().metadata["trigger"] == "vision"
    assert caller.heard_text() == "The kettle boils."


async def test_nothing_is_said_of_its_own_accord_while_the_person_speaks() -> None:
    room = Room(says={nth(number): "The kettle boils." for number in range(20)})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.says(5.0)
        assert not caller.all(OfferMade)
        assert not room.considered


async def test_what_would_be_said_is_not_thought_out_when_the_person_speaks() -> None:
    room = Room(says={nth(1): "The kettle boils. " * 40})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(2.3)
        (thinking,) = room.aura.running
        await caller.says(0.5)
        assert room.aura.aborted == [thinking]


async def test_an_offer_falls_when_the_person_speaks() -> None:
    room = Room(says={nth(2): "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(3.5)
        (offer,) = caller.all(OfferMade)
        await caller.says(0.5)
        with pytest.raises(RequestError, match="does not stand"):
            caller.session.respond(metadata={"offer_id": offer.offer_id})


async def test_an_offer_falls_when_somebody_writes_or_asks() -> None:
    for asked in (True, False):
        room = Room(says={nth(2): "The kettle boils."})
        async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
            await caller.is_silent(3.5)
            (offer,) = caller.all(OfferMade)
            if asked:
                caller.session.respond()
                await asyncio.sleep(1)
            else:
                caller.session.write(Item("q", "user", QUESTION))
            with pytest.raises(RequestError, match="does not stand"):
                caller.session.respond(metadata={"offer_id": offer.offer_id})


async def test_offers_are_made_to_a_client_that_takes_turns_itself_when_nothing_is_open_between_them() -> None:
    room = Room(says={nth(number): f"It is second {number}." for number in range(40)})
    async with room.call(SessionOptions(proactive="offer")) as caller:
        await caller.is_silent(3.0)
        (first,) = caller.all(OfferMade)
        caller.session.activity(True)
        with pytest.raises(RequestError, match="does not stand"):
            caller.session.respond(metadata={"offer_id": first.offer_id})
        await caller.says(3.0)
        caller.session.activity(False)
        await caller.is_silent(0.6)
        caller.session.commit()
        caller.session.respond()
        await caller.is_silent(0.5)
        assert len(caller.all(OfferMade)) == 1, "while somebody speaks, is answered, or waits for it"
        await caller.is_silent(3.0)
        answer, second = caller.answer(), caller.all(OfferMade)[1]
        assert answer.text == "A cup."
        caller.session.respond(metadata={"offer_id": second.offer_id})
        await caller.is_silent(2.0)
        said = [(item.role, item.text) for item in caller.session.history.items]
    assert said == [("user", QUESTION), ("assistant", "A cup."), ("assistant", second.text)]


async def test_where_nothing_sees_no_offer_stands() -> None:
    async with Line().call() as caller:
        with pytest.raises(RequestError, match=r"offer_id: the offer 'offer_1' does not stand"):
            caller.session.respond(metadata={"offer_id": "offer_1"})
        assert not caller.session.answering


async def test_a_cut_is_read_in_the_background_and_holds_from_then_on() -> None:
    room = Room(read_s=0.2)
    async with room.call() as caller:
        await caller.is_silent(30)
        counts = [len(seen(scene)) for scene in room.read]
        history = caller.session.history
    cuts = [at for at in range(1, len(counts)) if counts[at] < counts[at - 1]]
    assert cuts and max(counts[at] for at in cuts) <= LIMITS.keep_s + LIMITS.slack_s
    assert len(history.video_turns) <= LIMITS.keep_s + 2 * LIMITS.slack_s
    shown = frames(each.clip.id for each in history.video_turns)
    assert shown == list(range(shown[0], shown[-1] + 1)), "none is lost or doubled"
    first = room.read[cuts[0]]
    assert next(scene for scene in room.read if scene.priority == Priority.PRUNED) is first
    assert room.read[cuts[0] - 1].priority != Priority.PRUNED
    later = next(scene for scene in room.read[cuts[0] + 1 :] if seen(scene)[0] == seen(first)[0])
    assert spelt(later).startswith(spelt(first)), "what is read next goes on where the cut that was read ended"


@pytest.mark.parametrize(("read_s", "joined"), [(0.9, 5), (1.5, 1)])
async def test_of_what_came_while_an_answer_was_given_the_newest_is_seen_if_reading_does_not_keep_up(
    read_s: float, joined: int
) -> None:
    async with Room(read_s=read_s).call() as caller:
        await caller.is_silent(4)
        vision, before = caller.session.vision, len(caller.session.history.video_turns)
        assert vision
        vision.update(replace(vision.state, is_answering=True))
        await asyncio.sleep(5.2)
        vision.look_back()
        assert len(caller.session.history.video_turns) - before == joined
        assert bool(caller.all(VideoSkipped)) is (joined == 1)


async def test_an_engine_that_fails_to_read_spoils_nothing() -> None:
    room = Room(fails=True)
    async with room.call() as caller:
        await caller.is_silent(3.0)
        room.fails = False
        await caller.says(1.0)
        await caller.is_silent(3.0)
    assert caller.answer().text == "A cup."


async def test_the_eyes_close_with_the_session() -> None:
    room = Room(says={nth(1): "The kettle boils. " * 40})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(2.3)
        assert room.aura.running
    assert not room.aura.running


async def test_a_model_that_sees_nothing_has_no_eyes() -> None:
    async with Line().call() as caller:
        assert caller.session.vision is None
