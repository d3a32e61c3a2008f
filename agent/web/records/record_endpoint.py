"""`/api/record`: the record of a call read or deleted by those who were in it, with the token to join it."""

import asyncio
import logging
from datetime import datetime
from pathlib import Path

import msgspec
from aiohttp import web

from agent.records.record_folder import RecordFolder, remove
from agent.records.timeline import SoundOf, read_timeline
from agent.settings.agent import WebSettings
from agent.web.call_token import CallToken, call_token
from agent.web.problem import Problem

logger = logging.getLogger(__name__)

WRITTEN_S = 10.0  # after something was written last, a call may still last of which it is not known that it ended
PRIVATE = {"Cache-Control": "no-store"}


def record_routes(settings: WebSettings) -> list[web.RouteDef]:
    """The endpoint's routes: `GET` the timeline, `GET …/sound`, and `DELETE` all of it."""
    folder = RecordFolder(settings.records.folder) if settings.records else None

    async def found(request: web.Request) -> list[Path]:
        token = call_token(request, settings.livekit)
        records = await asyncio.to_thread(records_of, folder, token) if folder else []
        if not records:
            raise Problem(404, "no_record", "There is no record of this call, or it is not yours.")
        return records

    async def timeline(request: web.Request) -> web.StreamResponse:
        try:
            whole = await asyncio.to_thread(read_timeline, (await found(request))[0])
        except Problem as problem:
            return problem.response()
        return web.Response(body=msgspec.json.encode(whole), content_type="application/json", headers=PRIVATE)

    async def sound(request: web.Request) -> web.StreamResponse:
        try:
            path = (await found(request))[0] / SoundOf().file
            if not await asyncio.to_thread(path.exists):
                raise Problem(404, "no_sound", "This call has no sound.")
        except Problem as problem:
            return problem.response()
        return web.FileResponse(path, headers={**PRIVATE, "Content-Type": "audio/ogg"})

    async def delete(request: web.Request) -> web.StreamResponse:
        try:
            for record in await found(request):
                await asyncio.to_thread(_remove, record)
        except Problem as problem:
            return problem.response()
        return web.Response(status=204)

    return [
        web.get("/api/record", timeline, allow_head=False),
        web.get("/api/record/sound", sound, allow_head=False),
        web.delete("/api/record", delete),
    ]


def records_of(folder: RecordFolder, token: CallToken) -> list[Path]:
    """Return the records of the calls in which somebody was, the newest first. Takes a while.

    The token endpoint gives anybody a token for any room and identity. So one counts only for calls that had not ended
    when it was made: who had it then could have joined them.
    """
    return [record for record in folder.of_room(token.room) if _may_have(record, token)]


def _may_have(record: Path, token: CallToken) -> bool:
    try:
        timeline = read_timeline(record)
        if timeline.ended is None:
            until_s = max(path.stat().st_mtime for path in record.iterdir()) + WRITTEN_S
        else:
            until_s = datetime.fromisoformat(timeline.ended).timestamp()
    except (OSError, ValueError, msgspec.MsgspecError):
        return False  # deleted just now, or half written
    return timeline.room == token.room and token.identity in timeline.people and token.made_s <= until_s


def _remove(record: Path) -> None:
    try:
        remove(record)
    except FileNotFoundError:
        pass  # somebody else of that call was quicker
    except OSError as error:
        logger.exception("a record was not removed", extra={"record": record.name})
        raise Problem(500, "not_deleted", "The record could not be deleted here.") from error
