"""Asks a service whether it is healthy, over HTTP or, where it speaks only that, the Redis protocol."""

import asyncio
import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

PROBE_S = 2.0
PAUSE_S = 0.05


async def until_healthy(url: str) -> None:
    """Return when the URL answers well. The caller sets the bound."""
    while not await healthy(url):
        await asyncio.sleep(PAUSE_S)


async def healthy(url: str) -> bool:
    """Whether the URL answers well now; of Redis, that it asks for its password is an answer."""
    if url.startswith("redis:"):
        return (await _answer(url, "PING\r\n", head=True)).startswith((b"+PONG", b"-NOAUTH"))
    return await http_status(url) == 200


async def http_status(url: str) -> int | None:
    """The status with which a plain http URL answers, or None if nothing does."""
    with suppress(ValueError, IndexError):
        return int((await _answer(url, _get(url), head=True)).split()[1])
    return None


async def http_json(url: str) -> Any:
    """What a plain http URL answers, or None if that is no JSON."""
    with suppress(ValueError):
        return json.loads((await _answer(url, _get(url), head=False)).partition(b"\r\n\r\n")[2])
    return None


def _get(url: str) -> str:
    place = urlsplit(url)
    return f"GET {place.path or '/'} HTTP/1.0\r\nHost: {place.netloc}\r\n\r\n"


async def _answer(url: str, request: str, *, head: bool) -> bytes:
    """The first line of an answer, or all of it; empty if there is none."""
    place = urlsplit(url)
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(PROBE_S):
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            try:
                writer.write(request.encode())
                return await (reader.readline() if head else reader.read())
            finally:
                writer.close()
    return b""
