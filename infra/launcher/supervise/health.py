"""Asks a service whether it is healthy, over HTTP or, where it speaks only that, the Redis protocol."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
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
    """Whether the URL answers well now."""
    return await _is_redis(url) if url.startswith("redis:") else await http_status(url) == 200


async def http_json(url: str) -> Any:
    """What a plain http URL answers, or None if that is no JSON."""
    with suppress(OSError, TimeoutError, ValueError):
        async with asyncio.timeout(PROBE_S):
            reader, writer = await _get(url)
            try:
                return json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
            finally:
                writer.close()
    return None


async def http_status(url: str) -> int | None:
    """The status with which a plain http URL answers, or None if nothing does."""
    with suppress(OSError, TimeoutError, ValueError, IndexError):
        async with asyncio.timeout(PROBE_S):
            reader, writer = await _get(url)
            try:
                return int((await reader.readline()).split()[1])
            finally:
                writer.close()
    return None


async def _get(url: str) -> tuple[StreamReader, StreamWriter]:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(f"GET {place.path or '/'} HTTP/1.0\r\nHost: {place.netloc}\r\n\r\n".encode())
    return reader, writer


async def _is_redis(url: str) -> bool:
    """Whether a Redis-compatible server answers; that it asks for its password is an answer."""
    place = urlsplit(url)
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(PROBE_S):
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            try:
                writer.write(b"PING\r\n")
                return (await reader.readline()).startswith((b"+PONG", b"-NOAUTH"))
            finally:
                writer.close()
    return False
