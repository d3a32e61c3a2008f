"""What a webhook is told of a record: signed so that others can check it, sent again, and given up in the end."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest
from aiohttp import web

from agent.records.call_recording import CallRecording
from agent.records.ogg_file import RATE
from agent.records.outbox import PendingNotice, WebhookOutbox
from agent.records.record_folder import RecordFolder
from agent.records.record_keeper import AGAIN_S, TROUBLED_S, RecordKeeper
from agent.records.timeline import SoundOf, Timeline
from agent.records.webhook import NoticeRefused, signed, webhook_body
from agent.settings.records import RecordSettings
from tests.agent.records.tape import Tape, at_once
from tests.agent.talking.begin import talking

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
SECRET = b"012345678901234567890123"
CALL = Timeline("r", "aura-1", "browser", "began", ended="ended", ms=5_000, sound=SoundOf(samples=120_000))


def notice(folder: Path) -> PendingNotice:
    """Of a record that lies there."""
    record = RecordFolder(folder).make("aura-1", NOW)
    kept = PendingNotice(record, webhook_body(CALL, str(record)))
    WebhookOutbox(folder).put(kept)
    return kept


def waiting(folder: Path) -> list[str]:
    return [notice.record.name for notice in WebhookOutbox(folder).notices()]


class Receiver:
    """Whom it is told: answers what it is told to, 204 in the end."""

    def __init__(self, *answers: int) -> None:
        self._answers = list(answers)
        self.came: list[tuple[float, Mapping[str, str], bytes]] = []
        self.taken = asyncio.Event()

    def take(self, headers: Mapping[str, str], body: bytes) -> int:
        self.came.append((asyncio.get_running_loop().time(), dict(headers), body))
        if self._answers:
            return self._answers.pop(0)
        self.taken.set()
        return 204

    async def post(self, _: str, headers: Mapping[str, str], body: bytes) -> None:
        """In place of the network."""
        await asyncio.sleep(0.1)
        if (status := self.take(headers, body)) >= 300:
            raise NoticeRefused(f"HTTP {status}", for_good=status == 410)

    async def answer(self, request: web.Request) -> web.Response:
        return web.Response(status=self.take(request.headers, await request.read()))


@asynccontextmanager
async def keeping(folder: Path, receiver: Receiver) -> AsyncIterator[None]:
    """On virtual time."""
    settings = RecordSettings(folder, webhook="http://receiver", secret=SECRET)
    keeper = RecordKeeper(settings, post=receiver.post, offload=at_once, now=lambda: NOW)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(keeper.run())
        yield
        running.cancel()


def check_signature(headers: Mapping[str, str], body: bytes) -> None:
    """As OpenAI's package checks its own: nobody here wrote that."""
    client = openai.OpenAI(api_key="none")
    secret = "whsec_" + base64.b64encode(SECRET).decode()
    client.webhooks.verify_signature(body, headers, secret=secret, tolerance=10**9)


def test_others_can_check_who_sent_it_and_that_nothing_was_changed() -> None:
    body = webhook_body(CALL, "/records/r")
    headers = signed(SECRET, "r", 1_700_000_000, body)
    check_signature(headers, body)
    for changed, content in (
        ({**headers, "webhook-timestamp": "1700000001"}, body),
        ({**headers, "webhook-id": "another"}, body),
        (headers, body.replace(b"aura-1", b"aura-2")),
        (signed(b"another secret of 24 byte", "r", 1_700_000_000, body), body),
    ):
        with pytest.raises(openai.InvalidWebhookSignatureError):
            check_signature(changed, content)


def test_it_tells_of_the_record_and_nothing_of_what_was_said() -> None:
    assert msgspec.json.decode(webhook_body(CALL, "/records/r")) == {
        "type": "record.completed",
        "timestamp": "ended",
        "data": {
            "record": "r",
            "folder": "/records/r",
            "room": "aura-1",
            "kind": "browser",
            "began": "began",
            "ended": "ended",
            "ms": 5_000,
            "reason": "",
            "sound": msgspec.json.decode(msgspec.json.encode(SoundOf(samples=120_000))),
            "people": 0,
            "items": 0,
            "tools": 0,
        },
    }


async def test_a_letter_that_is_not_taken_is_sent_again_later_and_later(tmp_path: Path) -> None:
    kept, receiver = notice(tmp_path), Receiver(500, 503)
    async with keeping(tmp_path, receiver):
        await asyncio.sleep(60)
    times = [at for at, _, _ in receiver.came]
    assert times[0] == pytest.approx(0.1)
    assert times[1] - times[0] == pytest.approx(AGAIN_S[0], abs=2)
    assert times[2] - times[1] == pytest.approx(AGAIN_S[1], abs=2)
    assert [body for _, _, body in receiver.came] == [kept.body] * 3
    assert waiting(tmp_path) == []


async def test_a_letter_that_nobody_takes_is_given_up(tmp_path: Path) -> None:
    notice(tmp_path)
    receiver = Receiver(*[500] * 100)
    async with keeping(tmp_path, receiver):
        await asyncio.sleep(10 * sum(AGAIN_S))
    assert len(receiver.came) == len(AGAIN_S) + 1
    assert waiting(tmp_path) == []


async def test_a_receiver_that_wants_no_more_of_it_is_told_once(tmp_path: Path) -> None:
    notice(tmp_path)
    receiver = Receiver(410)
    async with keeping(tmp_path, receiver):
        await asyncio.sleep(1_000)
    assert len(receiver.came) == 1


async def test_a_letter_survives_the_worker(tmp_path: Path) -> None:
    notice(tmp_path)
    async with keeping(tmp_path, Receiver(500)):
        await asyncio.sleep(1)
    receiver = Receiver()
    async with keeping(tmp_path, receiver):
        await asyncio.sleep(1)
    assert (len(receiver.came), waiting(tmp_path)) == (1, [])


async def test_nothing_is_told_of_a_record_that_was_deleted(tmp_path: Path) -> None:
    notice(tmp_path).record.rmdir()
    receiver = Receiver()
    async with keeping(tmp_path, receiver):
        await asyncio.sleep(10)
    assert receiver.came == []


async def test_of_two_workers_with_one_folder_one_tells(tmp_path: Path) -> None:
    receiver = Receiver()
    async with keeping(tmp_path, receiver), keeping(tmp_path, receiver):
        await asyncio.sleep(1)
        notice(tmp_path)
        await asyncio.sleep(10)
    assert len(receiver.came) == 1


async def test_a_call_that_is_over_is_told(tmp_path: Path) -> None:
    settings = RecordSettings(tmp_path, webhook="http://receiver", secret=SECRET)
    made = CallRecording(settings, "aura-1", "phone", open_sound=Tape().open, offload=at_once)
    async with talking(recording=made) as room:
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
        assert waiting(tmp_path) == []
    (kept,) = WebhookOutbox(tmp_path).notices()
    told = msgspec.json.decode(kept.body)["data"]
    assert [told["kind"], told["items"], told["sound"]["samples"] / RATE] == ["phone", 2, told["ms"] / 1_000]


async def test_a_keeper_that_fails_leaves_the_worker(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("this is no folder")
    async with keeping(tmp_path / "records", Receiver()):
        await asyncio.sleep(10_000)


async def test_old_records_go_at_start_and_each_day(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path)
    now = NOW
    old = folder.make("aura-1", NOW.replace(month=10, day=23))
    young = folder.make("aura-1", NOW.replace(month=10, day=25))
    keeper = RecordKeeper(RecordSettings(tmp_path, days=30), offload=at_once, now=lambda: now)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(keeper.run())
        await asyncio.sleep(1)
        assert (there(old), there(young)) == (False, True)
        now = NOW.replace(day=25)
        await asyncio.sleep(80_000)
        assert there(young)
        await asyncio.sleep(10_000)
        assert not there(young)
        running.cancel()


async def test_a_clearing_that_failed_is_not_put_off_until_tomorrow(tmp_path: Path) -> None:
    old, faults = RecordFolder(tmp_path).make("aura-1", NOW.replace(month=10, day=23)), [OSError("no such device")]

    async def offload(call: Callable[..., Any], *arguments: Any) -> Any:
        if faults:
            raise faults.pop()
        return await at_once(call, *arguments)

    keeper = RecordKeeper(RecordSettings(tmp_path, days=30), offload=offload, now=lambda: NOW)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(keeper.run())
        await asyncio.sleep(TROUBLED_S - 1)
        assert there(old)
        await asyncio.sleep(10)
        assert not there(old)
        running.cancel()


def there(path: Path) -> bool:
    return path.exists()
