"""Somebody's stay in a room: whatever fails tells what they saw, and they leave at the end."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from livekit import rtc

from infra.bench.person.diary import Diary


@asynccontextmanager
async def visit(name: str, room: rtc.Room, diary: Diary) -> AsyncGenerator[None]:
    """Leaves the room when the body ends."""
    try:
        yield
    except Exception as error:
        error.add_note(f"What {name} saw:\n{diary}")
        raise
    finally:
        await room.disconnect()
