"""The record of a call over HTTP: for those who were in it, and for nobody else."""

import os
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest

from agent.records.record_folder import RecordFolder
from agent.records.timeline import Joined, RecordedItem, RecordEnd, RecordHead, TimelineFile
from agent.settings.records import RecordSettings
from tests.agent.web.page_server import LIVEKIT, Client, PipelineState, page_server

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
ROOM, SOUND = "aura-1", b"OggS of a call"
PATHS = ("/api/record", "/api/record/sound")


@pytest.fixture
async def client(state: PipelineState, tmp_path: Path) -> AsyncIterator[Client]:
    async with page_server(state, None, records=RecordSettings(tmp_path)) as the_client:
        yield the_client


def record(folder: Path, *people: str, room: str = ROOM, ended: datetime | None = None) -> Path:
    """A call that lasts, or has ended then."""
    made = RecordFolder(folder).make(room, NOW)
    (made / "sound.ogg").write_bytes(SOUND)
    lines = TimelineFile(made, RecordHead(made.name, room, "browser", NOW.isoformat()))
    for identity in people:
        lines.add(Joined(0, identity))
    lines.add(RecordedItem(900, "agent", "Hello.", 100, 900))
    if ended:
        lines.add(RecordEnd(ended.isoformat(), 5_000, 120_000))
        lines.close()
    else:
        lines.write()
        lines._file.close()
    return made


def showing(
    identity: str = "ann", room: str = ROOM, *, made: datetime | None = None, secret: str = LIVEKIT.api_secret
) -> dict[str, str]:
    """The token that somebody shows; it was made now, unless it is said when, and is good until long after."""
    made_s = int(made.timestamp()) if made else int(time.time())  # noqa: TID251 - as LiveKit's are
    claims = {"iss": "key", "sub": identity, "nbf": made_s, "exp": 4_000_000_000}
    token = jwt.encode({**claims, "video": {"roomJoin": True, "room": room}}, secret, algorithm="HS256")
    return {"Authorization": f"Bearer {token}"}


async def code(response: Any) -> tuple[int, str]:
    return response.status, (await response.json())["error"]["code"]


async def test_who_is_in_a_call_reads_its_timeline_and_hears_its_sound_while_it_lasts(
    client: Client, tmp_path: Path
) -> None:
    record(tmp_path, "ann")
    timeline = await client.get("/api/record", headers=showing())
    assert timeline.status == 200
    said = await timeline.json()
    assert [said["room"], said["ended"], [item["text"] for item in said["items"]]] == [ROOM, None, ["Hello."]]
    sound = await client.get("/api/record/sound", headers=showing())
    assert [sound.status, sound.content_type, await sound.read()] == [200, "audio/ogg", SOUND]
    assert timeline.headers["Cache-Control"] == sound.headers["Cache-Control"] == "no-store"


async def test_who_was_in_a_call_deletes_its_record_and_no_other(client: Client, tmp_path: Path) -> None:
    mine, others = record(tmp_path, "ann", ended=NOW), record(tmp_path, "bob", room="aura-2", ended=NOW)
    earlier = showing(made=NOW - timedelta(minutes=5))
    assert (await client.delete("/api/record", headers=earlier)).status == 204
    assert (mine.exists(), others.exists()) == (False, True)
    assert await code(await client.delete("/api/record", headers=earlier)) == (404, "no_record")


@pytest.mark.parametrize(
    "headers",
    [
        showing("bob", made=NOW - timedelta(minutes=5)),
        showing(room="aura-2", made=NOW - timedelta(minutes=5)),
        showing(made=NOW + timedelta(seconds=1)),  # anybody may be given a token for that room, and for that name
    ],
    ids=["another person", "another room", "a token made after the call"],
)
async def test_nobody_else_reads_hears_or_deletes_it(client: Client, tmp_path: Path, headers: dict[str, str]) -> None:
    made = record(tmp_path, "ann", ended=NOW)
    for path in PATHS:
        assert await code(await client.get(path, headers=headers)) == (404, "no_record")
    assert await code(await client.delete("/api/record", headers=headers)) == (404, "no_record")
    assert made.exists()


async def test_who_shows_no_token_of_here_is_refused(client: Client, tmp_path: Path) -> None:
    made = record(tmp_path, "ann")
    for headers in ({}, {"Authorization": "Bearer x.y.z"}, showing(secret="another secret of thirty-two letters!")):
        for path in PATHS:
            assert (await client.get(path, headers=headers)).status == 401
        assert (await client.delete("/api/record", headers=headers)).status == 401
    assert made.exists()


async def test_a_token_that_does_not_say_when_it_was_made_counts_for_no_call(client: Client, tmp_path: Path) -> None:
    record(tmp_path, "ann", ended=NOW)
    claims = {"iss": "key", "sub": "ann", "exp": 4_000_000_000, "video": {"roomJoin": True, "room": ROOM}}
    headers = {"Authorization": "Bearer " + jwt.encode(claims, LIVEKIT.api_secret, algorithm="HS256")}
    assert (await client.get("/api/record", headers=headers)).status == 404


async def test_a_record_whose_agent_died_does_not_last_for_ever(client: Client, tmp_path: Path) -> None:
    made = record(tmp_path, "ann")
    hour_ago = time.time() - 3_600  # noqa: TID251 - as files have it
    for path in made.iterdir():
        os.utime(path, (hour_ago, hour_ago))
    assert (await client.get("/api/record", headers=showing())).status == 404
    before = datetime.fromtimestamp(hour_ago - 60, UTC)
    assert (await client.get("/api/record", headers=showing(made=before))).status == 200


async def test_of_a_call_that_an_agent_took_over_all_is_deleted(client: Client, tmp_path: Path) -> None:
    records = [record(tmp_path, "ann", ended=NOW), record(tmp_path, "ann", ended=NOW)]
    headers = showing(made=NOW - timedelta(minutes=5))
    assert (await client.delete("/api/record", headers=headers)).status == 204
    assert [path.exists() for path in records] == [False, False]


async def test_where_nothing_is_recorded_there_is_nothing(state: PipelineState) -> None:
    async with page_server(state, None) as client:
        assert (await client.get("/api/record", headers=showing())).status == 404
        assert (await (await client.get("/api/about")).json())["records"] is False


async def test_the_page_is_told_that_calls_are_recorded(client: Client) -> None:
    assert (await (await client.get("/api/about")).json())["records"] is True
