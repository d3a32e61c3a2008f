"""Whatever a caller does in whatever order: what a session promises always holds."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine, Step, words_of
from pipeline.errors import EngineError, RequestError
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from pipeline.types.events.input_events import (
    InputCommitted,
    ItemAdded,
    ItemDeleted,
    TranscriptionCompleted,
    TranscriptionFailed,
)
from pipeline.types.events.response_events import (
    AudioDelta,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    ResponseItemDone,
    TextDelta,
    TranscriptDelta,
)
from pipeline.types.history import History, Item
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import Modality, ResponseOptions
from tests.scenario import Caller, Line
from tests.tidy import nothing_left

ANSWER = "One two three. Four five six. Seven eight nine."

C = TypeVar("C")


class Chance:
    """Does things to a session, chosen by a seed; refused requests are part of life."""

    def __init__(self, caller: Caller, seed: int) -> None:
        self._caller = caller
        self._random = random.Random(seed)
        self._typed = 0

    async def does(self, count: int) -> None:
        for _ in range(count):
            with suppress(RequestError):
                await self._something()

    async def _something(self) -> None:
        caller, session, chance = self._caller, self._caller.session, self._random
        match chance.choice(["sound"] * 6 + ["wait"] * 3 + ["commit", "respond"] * 3 + ["edit"] * 2 + ["rest"]):
            case "sound":
                level, frames = chance.choice((0.0, 0.0, 0.5)), chance.randint(1, 40)
                if chance.random() < 0.2:
                    await session.append(np.full(frames * 300, level, np.float32))
                else:
                    await (caller.says if level else caller.is_silent)(frames * 0.032)
            case "wait":
                await asyncio.sleep(chance.choice((0.0, 0.01, 0.1, 1.0, 5.0)))
            case "commit":
                session.commit()
            case "respond":
                self._respond()
            case "edit":
                self._edit()
            case _:
                self._rest()

    def _respond(self) -> None:
        session, chance = self._caller.session, self._random
        modality: Modality = chance.choice(("audio", "audio", "text"))
        match chance.randint(0, 6):
            case 0:
                session.respond(ResponseOptions(say="Given. Text."))
            case 1:
                session.respond(history=History((Item("x", "user", "Else?"),)))
            case 2 | 3:
                session.cancel()
            case _:
                session.respond(ResponseOptions(modality=modality))

    def _edit(self) -> None:
        conversation, chance = self._caller.session.conversation, self._random
        items = [item.id for item in conversation.history.items] or ["none"]
        match chance.randint(0, 2):
            case 0:
                self._typed += 1
                conversation.create(
                    Item(f"typed_{self._typed}", "user", "Typed?"), chance.choice([None, "root", *items])
                )
            case 1:
                conversation.delete(chance.choice(items))
            case _:
                self._caller.session.truncate(chance.choice(items), chance.randint(0, 9_000))

    def _rest(self) -> None:
        session, chance = self._caller.session, self._random
        match chance.randint(0, 2):
            case 0:
                session.clear()
            case 1:
                session.activity(chance.random() < 0.5, chance.choice((None, 0, 5_000)))
            case _:
                detection = chance.choice(
                    (None, TurnDetectionOptions(Endpointing(end_ms=512), interrupts=chance.random() < 0.5))
                )
                session.configure(
                    SessionOptions(
                        ResponseOptions(instructions=str(chance.randint(0, 2))), detection, chance.random() < 0.5
                    )
                )


def shaky(seed: int) -> Line:
    """Engines with all kinds of speeds, some of which fail now and then."""
    chance = random.Random(-seed - 1)
    fails = chance.choice((0.0, 0.1))

    def maybe(stage: str, seconds: float, chunk: C) -> Step[C]:
        return seconds * chance.random(), EngineError(stage, "broken") if chance.random() < fails else chunk

    def asr(window: AsrInput) -> Iterator[Step[Transcript]]:
        text = chance.choice(("", "Yes.", "What is it?"))
        yield maybe("asr", 0.5, Transcript(text, window.audio_end_ms, window.settles))

    def aura(chat: ChatPrompt) -> Iterator[Step[TextChunk]]:
        for word in words_of(ANSWER)[: chat.max_tokens]:
            yield maybe("aura", 0.2, TextChunk(word))

    def tts(clause: Clause) -> Iterator[Step[AudioChunk]]:
        yield maybe("tts", 0.4, AudioChunk(bytes(300 * 48 * len(clause.text.split())), clause.text))

    abort_s = chance.choice((0.0, 0.2))
    return Line(FakeEngine(asr, abort_s), FakeEngine(aura, abort_s), FakeEngine(tts, abort_s))


@pytest.mark.parametrize("early_ms", [0, 5_000])
@pytest.mark.parametrize("seed", range(24))
async def test_whatever_happens_every_answer_is_told_whole_and_in_order_and_nothing_is_left(
    seed: int, early_ms: int, caplog: pytest.LogCaptureFixture
) -> None:
    line = replace(shaky(seed), early_answer_ms=early_ms)
    with nothing_left():
        detection = TurnDetectionOptions(Endpointing(end_ms=512))
        async with line.call(SessionOptions(detection=detection, partials=bool(early_ms))) as caller:
            await Chance(caller, seed).does(60)
    assert (line.asr.running, line.aura.running, line.tts.running) == ([], [], [])
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
    answers_are_told_in_order(caller)
    sound_is_paced(caller)
    utterances_are_told_in_order(caller)
    assert [item.id for item in caller.session.history.items] == order_as_told(caller)


def answers_are_told_in_order(caller: Caller) -> None:
    running: ResponseCreated | None = None
    opened: dict[str, str] = {}  # the words of each message of the answer
    ended: list[str] = []
    for _, event in caller.told:
        match event:
            case ResponseCreated():
                assert running is None
                running, opened, ended = event, {}, []
            case ResponseDone(response_id, text=text):
                assert running
                assert (response_id, text) == (running.response_id, "".join(opened.values()))
                messages = [item for item in event.output if item.kind == "message"]
                assert [item.id for item in messages] == list(opened) == ended
                assert all(opened[item.id].startswith(item.text) for item in messages)
                running = None
            case ResponseItemAdded(response_id, item):
                assert running
                assert response_id == running.response_id and item.id not in opened
                opened[item.id] = ""
            case ResponseItemDone(response_id, item):
                assert running
                assert response_id == running.response_id and item.id in opened
                ended.append(item.id)
            case TextDelta() | TranscriptDelta() | AudioDelta():
                assert running
                assert event.response_id == running.response_id
                assert event.item_id in opened and event.item_id not in ended
                opened[event.item_id] += "" if isinstance(event, AudioDelta) else event.text
    assert running is None


def order_as_told(caller: Caller) -> list[str]:
    """The ids of all items, each put behind the one that is told to be in front of it."""
    ids = list[str]()
    for _, event in caller.told:
        match event:
            case ItemAdded(item, previous) | ResponseItemAdded(_, item, previous, True):
                assert item.id not in ids
                ids.insert(ids.index(previous) + 1 if previous else 0, item.id)
            case ItemDeleted(item_id):
                ids.remove(item_id)
    return ids


def sound_is_paced(caller: Caller) -> None:
    """Played as it comes, no more than 1.5 s of it ever waits."""
    ends: dict[str, float] = {}
    for at, event in caller.told:
        if isinstance(event, AudioDelta):
            end = max(ends.get(event.response_id, 0.0), at) + AudioChunk(event.pcm).duration_ms / 1000
            assert end - at <= 1.5 + 0.01
            ends[event.response_id] = end


def utterances_are_told_in_order(caller: Caller) -> None:
    committed, transcribed = set[str](), set[str]()
    for _, event in caller.told:
        match event:
            case InputCommitted(item_id):
                assert item_id not in committed
                committed.add(item_id)
            case TranscriptionCompleted(item_id) | TranscriptionFailed(item_id):
                assert item_id in committed - transcribed
                transcribed.add(item_id)
