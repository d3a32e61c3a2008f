"""A conversation with a camera, told on virtual time with scripted engines."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from pipeline import events as told
from pipeline.activity import Endpointing
from pipeline.asked import Asked
from pipeline.chunks import Scene, Text
from pipeline.clips import Clip, Pixels
from pipeline.engines.scripted import Scripted, hears, speaks, words_of
from pipeline.errors import EngineError, RequestError
from pipeline.events import AnswerDone, Offered
from pipeline.history import Item
from pipeline.offers import OFFER_S
from pipeline.processors.aura import scene
from pipeline.session import Session
from pipeline.setup import Detection, Setup
from pipeline.stage import Stage
from pipeline.stages import Stages
from pipeline.window import Limits
from tests.scenario import AURA, TTS, Caller, Line, Loudness, to_sentences

SERVER_VAD = Setup(detection=Detection(Endpointing(end_ms=512)))
QUESTION = "What is this?"
SEES = replace(AURA, requires_multimodal_data=True)
LIMITS = Limits(keep_s=6, slack_s=3)


@dataclass
class Room:
    """AURA with a camera.

    Attributes:
        says: What it says when it was not asked, by the name of the newest second.
        read_s: How long it takes to read what is not answered.
    """

    says: dict[str, str] = field(default_factory=dict)
    read_s: float = 0.05
    fails: bool = False

    def __post_init__(self) -> None:
        self.aura: Scripted[Scene, Text] = Scripted(self._script)

    def _script(self, scene: Scene) -> list[tuple[float, Text | EngineError]]:
        if self.fails:
            return [(0.01, EngineError("aura", "broken"))]
        if QUESTION in spelt(scene):
            asked = spelt(scene).rpartition("<|im_start|>user\n")[2]
            answer = "A cup." if QUESTION in asked else ""
        else:
            answer = self.says.get(seen(scene)[-1], "") if seen(scene) else ""
        if not answer or not scene.max_tokens:
            return [(self.read_s, Text(""))]
        return [(0.1 if at else self.read_s, Text(word)) for at, word in enumerate(words_of(answer))]

    @asynccontextmanager
    async def call(self, setup: Setup = SERVER_VAD) -> AsyncGenerator[Caller, None]:
        loop = asyncio.get_running_loop()
        heard: list[tuple[float, told.Event]] = []
        stages = Stages(
            hears(QUESTION),
            (Stage(SEES, self.aura, to_scene), Stage(TTS, speaks(), to_sentences)),
            limits=LIMITS,
            look=look,
        )
        session = Session("s", stages, Loudness(), lambda event: heard.append((round(loop.time(), 3), event)))
        async with session, asyncio.TaskGroup() as tasks:
            session.configure(setup)
            camera = tasks.create_task(film(session))
            yield Caller(session, heard)
            camera.cancel()

    @property
    def asked(self) -> list[Scene]:
        """What was to be answered because somebody asked."""
        return [scene for scene in self.aura.prompts if scene.max_tokens and scene.urgent]

    @property
    def considered(self) -> list[Scene]:
        return [scene for scene in self.aura.prompts if scene.max_tokens and not scene.urgent]

    @property
    def read(self) -> list[Scene]:
        return [scene for scene in self.aura.prompts if not scene.max_tokens]


async def test_each_second_is_read_when_it_closes_also_while_the_person_speaks() -> None:
    room = Room()
    async with room.call() as caller:
        await caller.says(4.0)
        assert [seen(scene)[-1] for scene in room.read if seen(scene)][-1] == "s.3"
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
    assert [event.text for event in caller.all(AnswerDone)] == ["A cup."]
    assert {spelt(scene) for scene in room.asked} == {spelt(room.asked[-1])}, "the guess came true: nothing changed"
    assert spelt(room.asked[-1]).endswith("{s.2}" + QUESTION + "<|im_end|>\n<|im_start|>assistant\n")
    assert len(room.asked) == 1


async def test_what_was_seen_meanwhile_joins_the_conversation_after_the_answer() -> None:
    room = Room()
    async with room.call() as caller:
        await caller.says(2.2)
        await caller.is_silent(6.0)
        rounds = caller.session.history.rounds
        user, answer = caller.session.history.items
    assert [each.clip.id for each in rounds] == [f"s.{number}" for number in range(len(rounds))], "none is lost"
    assert {each.after for each in rounds} == {None, answer.id}
    assert (user.text, answer.text) == (QUESTION, "A cup.")


async def test_a_typed_question_is_about_what_is_seen_now() -> None:
    room = Room()
    async with room.call(Setup()) as caller:
        await asyncio.sleep(3.3)
        caller.session.write(Item("q", "user", QUESTION))
        await asyncio.sleep(0.8)
        caller.session.respond()
        await asyncio.sleep(2)
    assert caller.answer().text == "A cup."
    assert "{s.3}" + QUESTION in spelt(room.asked[-1]), "a second that closed before it was to be answered waits"


async def test_nobody_asked_and_there_is_something_to_say_it_is_offered_and_not_spoken() -> None:
    room = Room(says={"s.2": "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(4.0)
        (offer,) = caller.all(Offered)
        assert (offer.text, offer.stands_ms) == ("The kettle boils.", OFFER_S * 1000)
        assert caller.heard_ms() == 0
        caller.session.respond(metadata={"offer_id": offer.offer_id})
        await asyncio.sleep(3)
    assert caller.heard_text() == "The kettle boils."
    assert caller.heard_ms() > 0
    assert [item.text for item in caller.session.history.items] == ["The kettle boils."]


async def test_an_offer_that_is_ignored_is_dropped() -> None:
    room = Room(says={"s.2": "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(3.5 + OFFER_S)
        (offer,) = caller.all(Offered)
        with pytest.raises(RequestError, match="does not stand"):
            caller.session.respond(metadata={"offer_id": offer.offer_id})
        assert caller.session.history.items == ()
        assert room.considered[-1] != room.considered[2], "later it is asked again"


async def test_while_an_offer_stands_no_other_is_made() -> None:
    room = Room(says={f"s.{number}": "The kettle boils." for number in range(20)})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(5.5)
        assert len(caller.all(Offered)) == 1


async def test_who_did_not_ask_for_offers_hears_the_answer_itself() -> None:
    room = Room(says={"s.2": "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="speak")) as caller:
        await caller.is_silent(6.0)
    assert not caller.all(Offered)
    assert caller.answer().metadata["trigger"] == "vision"
    assert caller.heard_text() == "The kettle boils."


async def test_nothing_is_said_of_its_own_accord_while_the_person_speaks() -> None:
    room = Room(says={f"s.{number}": "The kettle boils." for number in range(20)})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.says(5.0)
        assert not caller.all(Offered)
        assert not room.considered


async def test_an_offer_falls_when_the_person_speaks() -> None:
    room = Room(says={"s.2": "The kettle boils."})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(3.5)
        (offer,) = caller.all(Offered)
        await caller.says(0.5)
        with pytest.raises(RequestError, match="does not stand"):
            caller.session.respond(metadata={"offer_id": offer.offer_id})


async def test_a_cut_is_read_in_the_background_and_holds_from_then_on() -> None:
    room = Room(read_s=1.2)
    async with room.call() as caller:
        await caller.is_silent(30)
        counts = [len(seen(scene)) for scene in room.read]
        history = caller.session.history
    cuts = [at for at in range(1, len(counts)) if counts[at] < counts[at - 1]]
    assert cuts and {counts[at] for at in cuts} <= {LIMITS.keep_s, LIMITS.keep_s + 1, LIMITS.keep_s + 2}
    assert len(history.rounds) <= LIMITS.keep_s + 2 * LIMITS.slack_s
    names = [int(each.clip.id[2:]) for each in history.rounds]
    assert names == list(range(names[0], names[-1] + 1)), "none is lost or doubled"
    first = room.read[cuts[0]]
    later = next(scene for scene in room.read[cuts[0] + 1 :] if seen(scene)[0] == seen(first)[0])
    assert spelt(later).startswith(spelt(first)), "what is read next goes on where the cut that was read ended"


async def test_an_engine_that_fails_to_read_spoils_nothing() -> None:
    room = Room(fails=True)
    async with room.call() as caller:
        await caller.is_silent(3.0)
        room.fails = False
        await caller.says(1.0)
        await caller.is_silent(3.0)
    assert caller.answer().text == "A cup."


async def test_the_eyes_close_with_the_session() -> None:
    room = Room(says={"s.1": "The kettle boils. " * 40})
    async with room.call(replace(SERVER_VAD, proactive="offer")) as caller:
        await caller.is_silent(2.3)
        assert room.aura.running
    assert not room.aura.running


async def to_scene(inbox: AsyncIterator[Asked], asked: Asked) -> AsyncGenerator[Scene, None]:
    async for question in inbox:
        yield scene(question, LIMITS)


async def film(session: Session) -> None:
    """Two frames a second, forever."""
    assert session.sight
    while True:
        session.sight.watching.see(b"frame")
        await asyncio.sleep(0.5)


async def look(data: bytes) -> Pixels:
    return np.zeros((64, 64, 3), np.uint8)


def seen(scene: Scene) -> list[str]:
    return [part.id for part in scene.parts if isinstance(part, Clip)]


def spelt(prompt: Scene) -> str:
    return "".join(part if isinstance(part, str) else f"{{{part.id}}}" for part in prompt.parts)


async def test_a_model_that_sees_nothing_has_no_eyes() -> None:
    async with Line().call() as caller:
        assert caller.session.sight is None
