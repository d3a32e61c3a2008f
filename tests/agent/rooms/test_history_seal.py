"""What was said goes from an agent to its successor, and nobody else can read it."""

import random
from base64 import b64decode, b64encode
from typing import Literal

import pytest
from livekit.agents import llm

from agent.livekit.chat_context import A_PICTURE, REMEMBERED
from agent.rooms.history_seal import MOST_LETTERS, MOST_SEALED, HistorySeal

SECRET = "a secret of no less than thirty-two letters"
SEAL = HistorySeal(SECRET, "hall")


def said(role: Literal["user", "assistant", "system"], text: str, item_id: str = "item") -> llm.ChatMessage:
    return llm.ChatMessage(role=role, id=item_id, content=[text])


def told(sealed: str, seal: HistorySeal = SEAL) -> list[tuple[str, str, str | None]]:
    return [(item.id, item.role, item.raw_text_content) for item in seal.open(sealed)]


def test_the_next_agent_of_the_room_reads_who_said_what() -> None:
    sealed = SEAL.seal([said("user", "My cat is called Miko.", "a"), said("assistant", "Nice.", "b")])
    again = HistorySeal(SECRET, "hall")
    assert told(sealed, again) == [("a", "user", "My cat is called Miko."), ("b", "assistant", "Nice.")]


def test_only_words_are_kept() -> None:
    call = llm.FunctionCall(call_id="c", name="f", arguments="{}")
    items: list[llm.ChatItem] = [
        said("system", "Be brief."),
        call,
        said("user", A_PICTURE),
        said("user", ""),
        said("user", "Hello", "d"),
    ]
    assert told(SEAL.seal(items)) == [("d", "user", "Hello")]


def test_without_the_secret_or_in_another_room_it_does_not_open() -> None:
    sealed = SEAL.seal([said("user", "My cat is called Miko.")])
    assert b"Miko" not in b64decode(sealed)
    assert HistorySeal(SECRET + "!", "hall").open(sealed) == HistorySeal(SECRET, "kitchen").open(sealed) == []


@pytest.mark.parametrize("broken", ["", "?", "AAAA", b64encode(bytes(100)).decode(), "ä"])
def test_what_is_broken_says_nothing(broken: str) -> None:
    assert SEAL.open(broken) == []


def test_the_newest_words_are_kept_as_far_as_they_fit() -> None:

    letters = random.Random(0)
    items = [
        said("user", f"{number} " + "".join(letters.choices("abcdefghijklmnop ", k=400)), str(number))
        for number in range(60)
    ]
    sealed = SEAL.seal(items)
    kept = [item_id for item_id, _, _ in told(sealed)]
    assert MOST_SEALED / 2 < len(sealed) <= MOST_SEALED
    assert kept == [str(number) for number in range(60 - len(kept), 60)] and len(kept) > 3
    assert len(told(SEAL.seal([said("user", "Hello", str(number)) for number in range(60)]))) == REMEMBERED
    assert [len(text or "") for _, _, text in told(SEAL.seal([said("assistant", "a" * 100_000)]))] == [MOST_LETTERS]
