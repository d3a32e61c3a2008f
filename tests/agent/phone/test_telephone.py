"""A phone call from its first ring to its end."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from agent.phone.call_record import CallRecord
from agent.phone.job import record_of
from agent.phone.telephone import GOODBYE, NOBODY, PATIENCE_S, PUT_THROUGH, TOO_LONG, Telephone
from agent.settings.phone import PhoneSettings

pytestmark = pytest.mark.anyio

FULL = "All places are taken just now."


@dataclass
class Desk:
    """The speaker and the bridge: remembers what was asked of it, and when.

    Attributes:
        says_s: What each sentence takes.
        reached: Whether a transfer succeeds.
        rings_s: What a transfer takes.
    """

    says_s: float = 2.0
    reached: bool = True
    rings_s: float = 0.0
    done: list[tuple[float, str]] = field(default_factory=list)

    def listen(self) -> None:
        self._did("listens")

    def greet(self) -> None:
        self._did("greets")

    def repeat(self) -> None:
        self._did("repeats")

    async def say(self, text: str) -> None:
        self._did(text)
        await asyncio.sleep(self.says_s)

    async def apologise(self) -> None:
        await self.say("apology")

    async def hang_up(self) -> None:
        self._did("hangs up")

    async def transfer(self, to: str) -> bool:
        self._did(f"transfers to {to}")
        try:
            await asyncio.sleep(self.rings_s)
        except asyncio.CancelledError:
            self._did("transfers no more")
            raise
        return self.reached

    def _did(self, what: str) -> None:
        self.done.append((round(asyncio.get_running_loop().time(), 1), what))

    @property
    def what(self) -> list[str]:
        return [what for _, what in self.done]


@asynccontextmanager
async def ringing(desk: Desk, **settings: str | int) -> AsyncGenerator[tuple[Telephone, list[str]]]:
    reasons: list[str] = []
    record = CallRecord("phone_100_x", datetime(2026, 1, 1, tzinfo=UTC))
    telephone = Telephone(desk, desk, PhoneSettings(**settings), record, reasons.append)  # type: ignore[arg-type]
    telephone.on_trouble("")
    yield telephone, reasons
    await telephone.aclose()


async def test_nobody_is_greeted_or_heard_before_the_call_is_active() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, _):
        for status in ("dialing", "ringing", "automation"):
            telephone.on_status(status)
        telephone.on_key("#")
        await asyncio.sleep(5)
        assert desk.done == []
        telephone.on_status("active")
        telephone.on_status("active")
        assert desk.done == [(5.0, "listens"), (5.0, "greets")]


async def test_a_room_to_which_nobody_comes_is_left() -> None:
    async with ringing(Desk()) as (telephone, reasons):
        telephone.expect()
        await asyncio.sleep(5.1)
        assert reasons == ["nobody came"]


async def test_who_rings_has_come() -> None:
    async with ringing(Desk()) as (telephone, reasons):
        telephone.expect()
        await asyncio.sleep(4.9)
        telephone.on_status("ringing")
        await asyncio.sleep(60)
        assert reasons == []


async def test_the_star_repeats() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, _):
        telephone.on_status("active")
        telephone.on_key("*")
        telephone.on_key("5")
        assert desk.what == ["listens", "greets", "repeats"]


async def test_the_hash_ends_the_call_with_a_goodbye() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("#")
        telephone.on_key("#")
        telephone.on_key("*")
        await asyncio.sleep(5)
        assert desk.done[2:] == [(0.0, GOODBYE), (2.4, "hangs up")]
        assert reasons == ["ended by key"]


async def test_zero_puts_the_caller_through_to_a_person() -> None:
    desk = Desk()
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        await asyncio.sleep(5)
        assert desk.what[2:] == [PUT_THROUGH, "transfers to tel:+15550199", "hangs up"]
        assert reasons == ["put through"]


async def test_zero_pressed_again_makes_no_second_transfer() -> None:
    desk = Desk(rings_s=10.0)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        for _ in range(8):
            telephone.on_key("0")
            await asyncio.sleep(1)
        await asyncio.sleep(5)
        assert desk.done[2:] == [(0.0, PUT_THROUGH), (2.0, "transfers to tel:+15550199"), (12.4, "hangs up")]
        assert reasons == ["put through"]


async def test_zero_may_be_pressed_again_where_nobody_was_reached() -> None:
    desk = Desk(reached=False)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        for _ in range(2):
            telephone.on_key("0")
            await asyncio.sleep(5)
        assert desk.what[2:] == [PUT_THROUGH, "transfers to tel:+15550199", NOBODY] * 2
        assert reasons == []


@pytest.mark.parametrize(
    ("after_s", "stopped"), [(1.0, []), (3.0, [(2.0, "transfers to tel:+15550199"), (3.0, "transfers no more")])]
)
async def test_the_hash_stops_a_transfer_and_ends_the_call(after_s: float, stopped: list[tuple[float, str]]) -> None:
    desk = Desk(rings_s=60.0)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        await asyncio.sleep(after_s)
        telephone.on_key("*")
        telephone.on_key("#")
        telephone.on_key("0")
        await asyncio.sleep(90)
        ended = [(after_s, GOODBYE), (after_s + 2.4, "hangs up")]
        assert desk.done[2:] == [(0.0, PUT_THROUGH), *stopped, *ended]
        assert reasons == ["ended by key"]


async def test_who_hangs_up_during_a_transfer_is_not_put_through() -> None:
    desk = Desk(rings_s=60.0)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        await asyncio.sleep(5)
        telephone.on_status("hangup")
        await asyncio.sleep(90)
        assert desk.done[3:] == [(2.0, "transfers to tel:+15550199"), (5.0, "transfers no more"), (5.4, "hangs up")]
        assert reasons == ["hung up"]


async def test_a_transfer_needs_no_pipeline() -> None:
    desk = Desk(rings_s=30.0)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        telephone.on_trouble("away")
        await asyncio.sleep(40)
        assert desk.done[3:] == [(2.0, "transfers to tel:+15550199"), (32.4, "hangs up")]
        assert reasons == ["put through"]


async def test_a_pipeline_that_stays_away_is_apologised_for_after_a_transfer_that_reached_nobody() -> None:
    desk = Desk(rings_s=30.0, reached=False)
    async with ringing(desk, operator="tel:+15550199") as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        telephone.on_trouble("away")
        await asyncio.sleep(60)
        assert desk.done[4:] == [(32.0, NOBODY), (2 * PATIENCE_S, "apology"), (2 * PATIENCE_S + 2.4, "hangs up")]
        assert reasons == ["no place"]


@pytest.mark.parametrize("operator", ["", "tel:+15550199"])
async def test_where_nobody_can_be_reached_the_call_goes_on(operator: str) -> None:
    desk = Desk(reached=False)
    async with ringing(desk, operator=operator) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("0")
        await asyncio.sleep(10)
        assert desk.what[-1] == NOBODY
        assert reasons == []


async def test_a_pipeline_that_is_full_is_apologised_for() -> None:
    desk = Desk(says_s=6.0)
    async with ringing(desk) as (telephone, reasons):
        telephone.on_trouble(FULL)
        await asyncio.sleep(1)
        telephone.on_status("active")
        await asyncio.sleep(10)
        assert desk.done == [(1.0, "listens"), (1.0, "apology"), (7.4, "hangs up")]
        assert reasons == ["no place"]


async def test_a_pipeline_that_comes_back_soon_is_waited_for() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_trouble("away")
        await asyncio.sleep(19.9)
        telephone.on_trouble("")
        await asyncio.sleep(30)
        assert reasons == []
        began = asyncio.get_running_loop().time()
        for _ in range(20):
            telephone.on_trouble("away still")
            await asyncio.sleep(2)
        gave_up_at, what = desk.done[-2]
        assert what == "apology"
        assert gave_up_at - began == pytest.approx(PATIENCE_S, abs=0.1)
        assert reasons == ["no place"]


async def test_a_call_that_is_too_long_is_ended_with_a_goodbye() -> None:
    desk = Desk()
    async with ringing(desk, longest_s=60) as (telephone, reasons):
        telephone.on_status("active")
        await asyncio.sleep(70)
        assert desk.done[2:] == [(60.0, TOO_LONG), (62.4, "hangs up")]
        assert reasons == ["too long"]


async def test_last_words_that_are_never_spoken_keep_nobody_on_the_line() -> None:
    desk = Desk(says_s=10_000)
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_key("#")
        await asyncio.sleep(20)
        assert desk.done[-1] == (15.4, "hangs up")
        assert reasons == ["ended by key"]


async def test_a_caller_who_hangs_up_ends_the_call_at_once() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_left("hung up")
        telephone.on_left("hung up")
        telephone.on_key("*")
        assert reasons == ["hung up"]
        assert desk.what == ["listens", "greets"]


async def test_who_is_cut_off_is_hung_up_on_though_the_bridge_waits_for_their_goodbye() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        await asyncio.sleep(60)
        telephone.on_status("hangup")
        telephone.on_status("hangup")
        await asyncio.sleep(1)
        assert desk.done[2:] == [(60.4, "hangs up")]
        assert reasons == ["hung up"]


async def test_who_hangs_up_and_leaves_needs_no_more() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, reasons):
        telephone.on_status("active")
        telephone.on_status("hangup")
        telephone.on_left("hung up")
    assert reasons == ["hung up"]
    assert "hangs up" not in desk.what


async def test_the_record_is_one_event_with_figures_and_no_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agent.phone.call_record")
    record = CallRecord("phone_100_x", datetime(2026, 1, 1, tzinfo=UTC))
    await asyncio.sleep(2)
    record.active()
    await asyncio.sleep(0.5)
    record.heard_first()
    record.heard_first()
    record.note({"aura.decision": '{"at_ms":1,"what":"turn","text":"somebody spoke"}'})
    record.note({"aura.decision": '{"at_ms":1,"what":"noise","text":"no words were heard"}'})
    record.note({"aura.timings": '{"speech_end_to_first_audio_ms":760,"create_to_first_audio_ms":100}'})
    record.note({"aura.timings": '{"speech_end_to_first_audio_ms":null,"create_to_first_audio_ms":100}'})
    await asyncio.sleep(57.5)
    record.close("hung up")
    record.close("the agent stops")
    (event,) = caplog.records
    assert event.getMessage() == "call record"
    wanted = {
        "room": "phone_100_x",
        "began": "2026-01-01T00:00:00+00:00",
        "ended": "2026-01-01T00:01:00+00:00",
        "seconds": 60.0,
        "active": True,
        "reason": "hung up",
        "turns": 1,
        "greeting_ms": 500,
        "latencies_ms": [760],
    }
    assert {name: getattr(event, name) for name in wanted} == wanted


async def test_a_call_that_the_agent_has_said_goodbye_in_is_hung_up_without_another() -> None:
    desk = Desk()
    async with ringing(desk) as (telephone, ended):
        telephone.on_status("active")
        await asyncio.sleep(5)
        await telephone.end("ended by the agent")
        await telephone.end("again")
        assert desk.what[-1] == "hangs up" and desk.what.count("hangs up") == 1
        assert ended == ["ended by the agent"]


@pytest.mark.parametrize(
    ("room", "began", "seconds"),
    [("phone_100_x", "2026-01-01T00:00:00+00:00", 630.0), ("a room", "2026-01-01T00:10:00+00:00", 30.0)],
)
async def test_a_record_of_a_call_that_another_agent_had_before_tells_of_all_of_it(
    room: str, began: str, seconds: float, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "agent.phone.call_record")
    created = datetime(2026, 1, 1, tzinfo=UTC)
    record = record_of(room, created, created + timedelta(minutes=10))
    await asyncio.sleep(30)
    record.close("hung up")
    (event,) = caplog.records
    wanted = {"began": began, "ended": "2026-01-01T00:10:30+00:00", "seconds": seconds}
    assert {name: getattr(event, name) for name in wanted} == wanted
