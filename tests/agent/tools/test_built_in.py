"""The tools that every agent has, and where it has which."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agent.settings.tools import BUILT_IN, ToolSettings
from agent.tools.built_in import built_in_tools
from agent.tools.notes import MOST_NOTES, Notes
from tests.agent.fake_pipeline import Calls, FakePipeline, Hears, Says
from tests.agent.tools.calling import PERSONA, calling

pytestmark = pytest.mark.anyio

ANSWER = Says((("Well.", 0.5),))
DESK = (("desk", "tel:+4930123"), ("sales", "sip:sales@example.org"))


@dataclass
class Actions:
    """What a call could do, written down."""

    on_phone: bool = False
    caller: str = "+4930555"
    reachable: bool = True
    left_at: float | None = None
    transferred: list[str] = field(default_factory=list)

    async def leave(self) -> None:
        self.left_at = asyncio.get_running_loop().time()

    async def transfer(self, to: str) -> bool:
        self.transferred.append(to)
        return self.reachable


class Senses:
    """What a call sees."""

    sees, seen = True, "a cup"

    async def say_goodbye(self, context: Any) -> bool:
        return True


def names(settings: ToolSettings, actions: Actions | None, *, camera: bool = False) -> list[str]:
    return [tool.name for tool in built_in_tools(settings, actions, Senses(), camera=camera)]


def test_each_tool_is_there_only_where_it_can_be_used(tmp_path: Path) -> None:
    everything = ToolSettings(notes=tmp_path, transfer_to=DESK)
    assert names(everything, Actions(on_phone=True), camera=True) == [
        "current_time", "end_call", "transfer_call", "remember", "recall", "look_again",
    ]  # fmt: skip
    assert set(names(everything, Actions(on_phone=True), camera=True)) == set(BUILT_IN)
    assert names(everything, None) == ["current_time"]
    assert names(ToolSettings(), Actions(on_phone=True)) == ["current_time", "end_call"]
    assert "transfer_call" not in names(everything, Actions())
    assert names(ToolSettings(built_in=("end_call",)), Actions(), camera=True) == ["end_call"]
    assert names(ToolSettings(built_in=()), Actions(), camera=True) == []


async def test_the_time_is_told_in_the_zone_of_the_agent() -> None:
    def noon(settings: ToolSettings) -> datetime:
        return datetime(2026, 11, 23, 11, 0, tzinfo=ZoneInfo("UTC")).astimezone(settings.timezone)

    settings = ToolSettings(timezone=ZoneInfo("Europe/Berlin"))
    (time, *_) = built_in_tools(settings, None, Senses(), camera=False, clock=noon)
    assert await time.run({}, None) == "Monday, 23 November 2026, 12:00 (CET)"  # type: ignore[arg-type]


async def test_the_agent_says_goodbye_and_then_ends_the_call() -> None:
    actions, pipeline = Actions(), FakePipeline(says=[Says(calls=(Calls("end_call"),))], tools=True)
    async with calling(pipeline, settings=ToolSettings(), actions=actions) as caller:
        began = asyncio.get_running_loop().time()
        await caller.call.write("Goodbye.")
        assert caller.said == [PERSONA.goodbye] and caller.heard_s == pytest.approx(1.0)
        assert actions.left_at == pytest.approx(began + 1.2, abs=0.05)
        assert len(caller.asked) == 1, "nothing is said after it"


async def test_an_answer_that_has_said_goodbye_is_not_followed_by_another() -> None:
    bye = Says((("Bye!", 1.0),), calls=(Calls("end_call"),))
    actions, pipeline = Actions(), FakePipeline(says=[bye], tools=True)
    async with calling(pipeline, settings=ToolSettings(), actions=actions) as caller:
        await caller.call.write("Goodbye.")
        assert caller.said == [] and caller.heard_s == pytest.approx(1.0)
        assert actions.left_at is not None


async def test_who_speaks_over_the_goodbye_keeps_the_agent() -> None:
    pipeline = FakePipeline(hears=[Hears("Wait!")], says=[Says(calls=(Calls("end_call"),)), ANSWER], tools=True)
    actions = Actions()
    async with calling(pipeline, settings=ToolSettings(), actions=actions) as caller:
        caller.asks()
        await asyncio.sleep(0.5)
        caller.speaks()
        await asyncio.sleep(0.3)
        caller.call.spoken.interrupt()
        caller.falls_silent()
        await asyncio.sleep(0.3)
        caller.asks()
        await asyncio.sleep(5)
        assert actions.left_at is None
        assert caller.outputs == ["The person spoke on, so the call was not ended."]
        assert caller.conversation[-1] == "Well."


@pytest.mark.parametrize(
    ("arguments", "reachable", "to", "output"),
    [
        ('{"to": "sales"}', True, ["sip:sales@example.org"], ""),
        ('{"to": "desk"}', False, ["tel:+4930123"], "Nobody could be reached there just now."),
        ('{"to": "+1900"}', True, [], "to: it must be one of desk, sales"),
    ],
)
async def test_a_phone_call_is_put_through_only_to_whom_the_operator_names(
    arguments: str, reachable: bool, to: list[str], output: str
) -> None:
    actions = Actions(on_phone=True, reachable=reachable)
    pipeline = FakePipeline(says=[Says(calls=(Calls("transfer_call", arguments),)), ANSWER], tools=True)
    async with calling(pipeline, settings=ToolSettings(transfer_to=DESK), actions=actions) as caller:
        await caller.call.write("Put me through.")
        assert actions.transferred == to and caller.outputs == [output]


async def test_it_looks_again_only_while_pictures_come() -> None:
    look = Says(calls=(Calls("look_again"),))
    pipeline = FakePipeline(says=[look, ANSWER, look, ANSWER], tools=True, observes=True)
    async with calling(pipeline, settings=ToolSettings(), camera=True) as caller:
        await caller.call.write("Look.")
        caller.call.on_picture("camera")
        caller.call.on_observation("a cup")
        await caller.call.write("Look.")
        off, on = caller.outputs
        assert off == "No camera is on, and no screen is shared: there is nothing to look at."
        assert on == "It is seen just now: a cup"


def test_notes_are_kept_for_each_caller_alone(tmp_path: Path) -> None:
    mine, yours = Notes(tmp_path / "notes", "+49301"), Notes(tmp_path / "notes", "../../etc")
    mine.remember("Likes\n tea.")
    mine.remember("Lives in Bern.")
    mine.remember("Likes tea.")
    assert mine.recall() == ["Lives in Bern.", "Likes tea."] and yours.recall() == []
    yours.remember("Is somebody else.")
    assert Notes(tmp_path / "notes", "+49301").recall() == ["Lives in Bern.", "Likes tea."]
    assert len(list((tmp_path / "notes").iterdir())) == 2
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "notes").iterdir()} == {0o600}


def test_notes_are_few_and_short(tmp_path: Path) -> None:
    notes = Notes(tmp_path, "me")
    for number in range(MOST_NOTES + 5):
        notes.remember(f"note {number}")
    assert len(notes.recall()) == MOST_NOTES and notes.recall()[0] == "note 5"
    for wrong in ("", " \n", "x" * 501):
        with pytest.raises(ValueError, match="a note has 1 to 500 letters"):
            notes.remember(wrong)


def test_notes_that_are_made_at_once_are_all_kept(tmp_path: Path) -> None:
    made = built_in_tools(ToolSettings(notes=tmp_path), Actions(), Senses(), camera=False)
    remember = next(tool for tool in made if tool.name == "remember")
    notes, context = {f"note {number}" for number in range(20)}, Any

    async def note_all() -> None:
        await asyncio.gather(*(remember.run({"note": note}, context) for note in notes))  # type: ignore[arg-type]

    asyncio.run(note_all())  # threads take real time
    assert set(Notes(tmp_path, "+4930555").recall()) == notes
