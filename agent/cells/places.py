"""Counts places over cells: the pipelines that one installation spreads its callers over."""

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from pipeline.realtime.client import Readiness, Unreachable, readiness


async def places(cells: Sequence[str], *, with_workers: bool = False) -> Readiness:
    """What the cells at these URLs have together: they are ready if one is.

    Args:
        with_workers: Count only those whose workers take callers: what a cell has left while it drains is nobody's.

    Raises:
        Unreachable: None of them answers.
    """
    there = await answering(cells)
    if not there:
        raise Unreachable(f"no pipeline answers at {', '.join(cells)}")
    return together(taking_calls(there) if with_workers else there)


async def free_elsewhere(own: str, cells: Sequence[str]) -> int:
    """How many places those of the cells have that take callers and are not one's own."""
    there = await answering([cell for cell in cells if cell != own])
    return together(taking_calls(there)).free_sessions


async def answering(cells: Sequence[str]) -> Mapping[str, Readiness]:
    """What each cell that answers says, by its URL."""
    urls = await _each(cells)
    told = await asyncio.gather(*map(readiness, urls), return_exceptions=True)
    return {url: state for url, state in zip(urls, told, strict=True) if isinstance(state, Readiness)}


def taking_calls(cells: Mapping[str, Readiness]) -> Mapping[str, Readiness]:
    """Those whose workers take callers."""
    return {url: state for url, state in cells.items() if state.workers}


def together(cells: Mapping[str, Readiness]) -> Readiness:
    """What they have together: they are ready if one is."""
    able = [state for state in cells.values() if state.ready]
    return Readiness(bool(able), sum(one.free_sessions for one in able), sum(one.max_sessions for one in able))


async def _each(cells: Sequence[str]) -> tuple[str, ...]:
    """One URL a pipeline: behind a name there may be several, as behind that of a headless service of Kubernetes."""
    found = await asyncio.gather(*map(_resolved, cells))
    return tuple(dict.fromkeys(url for urls in found for url in urls))


async def _resolved(cell: str) -> tuple[str, ...]:
    where = urlsplit(cell)
    if where.scheme != "http" or not where.hostname:  # a certificate is for the name
        return (cell,)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(where.hostname, where.port or 80, proto=6)
    except OSError:
        return (cell,)
    hosts = dict.fromkeys(str(address[4][0]) for address in found)
    if len(hosts) < 2:
        return (cell,)
    named = {host: f"[{host}]" if ":" in host else host for host in hosts}
    return tuple(f"http://{name}:{where.port or 80}{where.path}" for name in named.values())
