"""The conversation as a value: what every change keeps true."""

import random
from itertools import count

import numpy as np
import pytest

from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chunks import ChatMessage
from pipeline.types.history import FRONT, History, Item, PrunePlan
from pipeline.types.playback_marks import PlaybackMark, PlaybackMarks

SPOKEN = Item(
    "a",
    "assistant",
    "One two. Three four.",
    "audio",
    marks=PlaybackMarks((PlaybackMark("One two.", 0, 1000), PlaybackMark(" Three four.", 1000, 2000))),
)


def test_items_join_at_the_end_in_front_or_behind_another() -> None:
    history = History().with_item(user("b")).with_item(user("d"))
    history = history.with_item(user("c"), after="b").with_item(user("a"), after=FRONT)
    assert ids(history) == ["a", "b", "c", "d"]
    assert [history.before(id) for id in "abcd"] == [None, "a", "b", "c"]


def test_a_second_item_of_the_same_id_is_refused() -> None:
    with pytest.raises(RequestError, match="'a' exists already") as refused:
        History((user("a"),)).with_item(user("a"))
    assert (refused.value.code, refused.value.param) == ("item_create_duplicate_item_id", "item.id")


def test_an_item_behind_one_that_is_not_there_is_refused() -> None:
    with pytest.raises(RequestError, match="no item 'x'") as refused:
        History((user("a"),)).with_item(user("b"), after="x")
    assert refused.value.param == "previous_item_id"


def test_any_sequence_of_changes_agrees_with_a_plain_list() -> None:
    chance, names = random.Random(1), (str(number) for number in count())
    history, plain = History(), list[str]()
    for _ in range(2_000):
        if plain and chance.random() < 0.48:
            gone = chance.choice(plain)
            plain.remove(gone)
            before, history = history, history.without(gone)
            assert gone in ids(before), "what was is not touched"
        else:
            new, after = next(names), chance.choice([None, FRONT, *plain])
            history = history.with_item(user(new), after)
            at = len(plain) if after is None else 0 if after == FRONT else plain.index(after) + 1
            plain.insert(at, new)
        assert ids(history) == plain
        assert [history.before(id) for id in plain] == [None, *plain][: len(plain)]


def test_a_changed_text_stays_in_its_place() -> None:
    history = History((user("a"), user("b"), user("c"))).with_text("b", "Changed.")
    assert [item.text for item in history.items] == ["a?", "Changed.", "c?"]


def test_what_has_gone_is_not_changed_and_not_found() -> None:
    history = History((user("b"), SPOKEN)).without("a").without("a")
    assert history.with_text("a", "?") == history.with_changed(SPOKEN) == history.heard("a", 100) == history
    assert history.find("a") is None


def test_truncating_again_changes_nothing_and_the_latest_figure_holds() -> None:
    chance = random.Random(1)
    history = whole = History((user("q"), SPOKEN))
    for _ in range(500):
        played_ms = chance.uniform(-100, 2500)
        history = history.heard("a", played_ms)
        assert history.heard("a", played_ms) == history
        assert text_of(history) == text_of(whole.heard("a", played_ms))


def test_an_answer_is_complete_only_if_all_of_it_was_heard() -> None:
    assert SPOKEN.heard(2000).complete
    assert not SPOKEN.heard(1999).complete


def test_what_was_not_spoken_cannot_be_half_heard() -> None:
    written = Item("a", "assistant", "All of this.")
    assert written.heard(0) == written


def test_marks_do_not_make_two_questions_different() -> None:
    bare = Item("a", "assistant", "One two. Three four.", "audio")
    assert History((bare,)) == History((SPOKEN,))


def test_prompts_hold_every_item_that_has_words() -> None:
    history = History((user("a"), SPOKEN.heard(0), Item("b", "user", " \n"), Item("c", "system", "Be brief.")))
    assert history.messages() == (ChatMessage("user", "a?"), ChatMessage("system", "Be brief."))


def test_the_pictures_of_what_is_forgotten_go_and_its_words_stay_for_the_caller() -> None:
    picture = VideoChunk("p", tuple(np.zeros((1, 32, 32, 3), np.uint8)))
    old, new = (Item(id, "user", "What is this?", images=1, pictures=(picture,)) for id in "ab")
    left = History((old, new)).cut(PrunePlan(items=frozenset("a")))
    assert [item.pictures for item in left.items] == [(), (picture,)]
    assert [(item.text, item.images) for item in left.items] == [("What is this?", 1)] * 2


def user(id: str) -> Item:
    return Item(id, "user", f"{id}?")


def ids(history: History) -> list[str]:
    return [item.id for item in history.items]


def text_of(history: History) -> str:
    item = history.find("a")
    assert item
    return item.text
