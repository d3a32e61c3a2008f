"""This module reads those events of the wire that tell of what the person says, and of what the agent might."""

import asyncio

from agent.floor.floor import RemarkOffer
from agent.turns.turn_events import PartialHeard
from pipeline.realtime.client import Event


def partial_heard(event: Event) -> PartialHeard:
    """Reads an `input_audio_buffer.partial`."""
    settled = event.get("settled", True)
    text, language = event["text"], event.get("language") or ""
    covers_ms, sentence_end = event.get("audio_end_ms", 0), event.get("sentence_end")
    return PartialHeard(event["item_id"], text, event["kind"], covers_ms, settled, language, sentence_end=sentence_end)


def remark_offer(event: Event) -> RemarkOffer:
    """Reads an `aura.offer` that has come just now."""
    came_at = asyncio.get_running_loop().time()
    return RemarkOffer(event["offer_id"], event["text"], came_at, event["expires_ms"] / 1000)
