"""What people thought of their calls: who may say it, what it may be, and where it is kept."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from livekit import api

from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web import feedback_file
from agent.web.feedback import LONGEST_SENTENCE, MOST_BYTES, MOST_OF_A_CALL, REMEMBERED_CALLS, CallCounter
from agent.web.feedback_file import FeedbackFile, FeedbackRecord
from agent.web.server import application

pytestmark = pytest.mark.anyio

LIVEKIT = LiveKitSettings("ws://127.0.0.1:7880", "key", "0123456789abcdef0123456789abcdef", "aura")
GOOD = {"thumb": "up", "sentence": "It was quick."}

Client = TestClient[web.Request, web.Application]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "feedback.jsonl"


@pytest.fixture
async def client(file: Path) -> AsyncIterator[Client]:
    settings = WebSettings("http://127.0.0.1:1", LIVEKIT, feedback=file)
    async with TestClient(TestServer(application(settings, None))) as the_client:
        yield the_client


def token(
    room: str = "hall", livekit: LiveKitSettings = LIVEKIT, *, joins: bool = True, ttl: timedelta = timedelta(hours=1)
) -> str:
    made = api.AccessToken(livekit.api_key, livekit.api_secret).with_identity("ann").with_ttl(ttl)
    return made.with_grants(api.VideoGrants(room_join=joins, room=room)).to_jwt()


def showing(shown: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {shown}"}


def kept(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


async def error(response: Any) -> tuple[int, str]:
    said = (await response.json())["error"]
    return response.status, said["message"]


async def test_a_thumb_and_a_sentence_are_kept_with_the_call_they_are_about(client: Client, file: Path) -> None:
    response = await client.post("/api/feedback", json=GOOD, headers=showing(token()))
    assert response.status == 204
    (record,) = kept(file)
    assert {**record, "at": "?"} == {"at": "?", "room": "hall", "identity": "ann", **GOOD}
    assert record["at"].endswith("+00:00")
    assert mode_of(file) == 0o600


async def test_a_sentence_that_comes_in_pieces_is_kept_whole(client: Client, file: Path) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        whole = json.dumps(GOOD).encode()
        for piece in (whole[:9], whole[9:]):
            yield piece
            await asyncio.sleep(0.05)

    response = await client.post("/api/feedback", data=pieces(), headers=showing(token()))
    assert response.status == 204
    assert kept(file)[0]["sentence"] == GOOD["sentence"]


async def test_a_call_that_outlives_its_token_can_be_rated_for_a_day(client: Client, file: Path) -> None:
    for age, status in ((timedelta(hours=23), 204), (timedelta(hours=25), 401)):
        response = await client.post("/api/feedback", json=GOOD, headers=showing(token(ttl=-age)))
        assert response.status == status
    assert len(kept(file)) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Basic YQ=="}, 401),
        (showing("no.token.at-all"), 401),
        (showing(token(livekit=replace(LIVEKIT, api_secret="another secret of thirty-two letters!"))), 401),
        (showing(token("", joins=False)), 403),
        (showing(token(joins=False)), 403),
    ],
)
async def test_who_shows_no_token_of_a_call_is_refused(
    client: Client, file: Path, headers: dict[str, str], status: int
) -> None:
    found, message = await error(await client.post("/api/feedback", json=GOOD, headers=headers))
    assert (found, "Authorization" in message) == (status, True)
    assert kept(file) == []


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"thumb": "sideways"}', "$.thumb"),
        ("{}", "thumb"),
        ('{"thumb": "up", "sentence": 7}', "$.sentence"),
        (json.dumps({"thumb": "up", "sentence": "a" * (LONGEST_SENTENCE + 1)}), "$.sentence"),
        ('{"thumb": "up", "stars": 5}', "stars"),
        ("", "truncated"),
        ("[" * 4_000, ""),
    ],
)
async def test_a_wrong_request_is_refused_with_the_field(client: Client, file: Path, body: str, named: str) -> None:
    status, message = await error(await client.post("/api/feedback", data=body, headers=showing(token())))
    assert status == 400
    assert named in message
    assert kept(file) == []


async def test_the_longest_sentence_fits_and_a_longer_request_does_not(client: Client, file: Path) -> None:
    longest = json.dumps({"thumb": "down", "sentence": "\U0001f600" * LONGEST_SENTENCE})
    response = await client.post("/api/feedback", data=longest, headers=showing(token()))
    assert response.status == 204
    status, message = await error(
        await client.post("/api/feedback", data=b" " * (MOST_BYTES + 1), headers=showing(token()))
    )
    assert (status, str(MOST_BYTES) in message) == (413, True)
    assert len(kept(file)) == 1


async def test_one_call_is_rated_so_often_and_another_still_can_be(client: Client, file: Path) -> None:
    statuses = [
        (await client.post("/api/feedback", json=GOOD, headers=showing(token()))).status
        for _ in range(MOST_OF_A_CALL + 1)
    ]
    assert statuses == [204] * MOST_OF_A_CALL + [429]
    assert (await client.post("/api/feedback", json=GOOD, headers=showing(token("kitchen")))).status == 204
    assert len(kept(file)) == MOST_OF_A_CALL + 1


def test_as_many_calls_are_remembered() -> None:
    counter = CallCounter()
    counter.count(("first", "ann"))
    for number in range(REMEMBERED_CALLS - 1):
        counter.count((f"room-{number}", "ann"))
    assert counter.count(("first", "ann")) == 2
    for number in range(REMEMBERED_CALLS):
        counter.count((f"later-{number}", "ann"))
    assert counter.count(("first", "ann")) == 1


async def test_the_page_knows_whether_anything_is_kept(client: Client) -> None:
    assert (await (await client.get("/api/about")).json())["feedback"] is True


async def test_where_nothing_is_kept_it_is_said() -> None:
    settings = WebSettings("http://127.0.0.1:1", LIVEKIT)
    async with TestClient(TestServer(application(settings, None))) as client:
        status, message = await error(await client.post("/api/feedback", json=GOOD, headers=showing(token())))
    assert (status, "AURA_WEB_FEEDBACK" in message) == (404, True)


async def test_what_cannot_be_written_is_told(client: Client, file: Path) -> None:
    file.parent.write_text("a file where a folder should be")
    status, _ = await error(await client.post("/api/feedback", json=GOOD, headers=showing(token())))
    assert status == 500


def test_a_full_file_takes_the_place_of_the_one_before(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback_file, "FULL_BYTES", 100)
    keeper = FeedbackFile(file)
    for number in range(4):
        keeper.append(FeedbackRecord("now", f"room-{number}", "ann", "up", ""))
    assert [record["room"] for record in kept(file)] == ["room-2", "room-3"]
    assert [record["room"] for record in kept(file.with_name("feedback.1.jsonl"))] == ["room-0", "room-1"]
    keeper.append(FeedbackRecord("now", "room-4", "ann", "up", ""))
    assert [record["room"] for record in kept(file)] == ["room-4"]
    assert [record["room"] for record in kept(file.with_name("feedback.1.jsonl"))] == ["room-2", "room-3"]
