"""This module keeps the folder of records in a worker: old ones go, those whose agent died are ended, and a webhook is
told."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agent.records.broken_off import end_broken_off
from agent.records.outbox import PendingNotice, WebhookOutbox
from agent.records.record_folder import RecordFolder, utc_now
from agent.records.sound_recorder import Offload
from agent.records.webhook import NoticeRefused, post, signed, webhook_body
from agent.settings.records import RecordSettings

logger = logging.getLogger(__name__)

POLL_S = 2.0
DAY_S = 86_400.0
LOST_S = 10.0  # between looks for records whose agent died
TROUBLED_S = 600.0  # until the folder is tried again
AGAIN_S = (5.0, 30.0, 120.0, 600.0, 3_600.0)  # after each try that failed; after the last of them it is given up

Post = Callable[[str, Mapping[str, str], bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class NoticeAttempts:
    """How often a notice was sent, and when it is sent again, on the loop's clock."""

    times: int = 0
    due: float = 0.0


class RecordKeeper:
    """Keeps one folder. Of several workers that share it, one does.

    Args:
        again_s: After which seconds a notice that was not taken is sent again.
        now: The wall clock, UTC.
    """

    def __init__(
        self,
        settings: RecordSettings,
        *,
        post: Post = post,
        again_s: tuple[float, ...] = AGAIN_S,
        poll_s: float = POLL_S,
        offload: Offload = asyncio.to_thread,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._settings, self._post, self._again_s, self._poll_s = settings, post, again_s, poll_s
        self._offload, self._now = offload, now
        self._outbox = WebhookOutbox(settings.folder)
        self._attempts: dict[str, NoticeAttempts] = {}
        self._hopeless: set[Path] = set()  # records that were broken off and cannot be ended

    async def run(self) -> None:
        """Keep it until cancelled."""
        held, cleaned, looked = None, None, None
        try:
            while True:
                try:
                    held = held or self._outbox.hold()
                    if held and (cleaned is None or self._time() - cleaned >= DAY_S):
                        await self._clean()
                        cleaned = self._time()
                    if held and (looked is None or self._time() - looked >= LOST_S):
                        looked = self._time()
                        await self._end_broken_off()
                    if held and self._settings.webhook:
                        await self._send()
                except Exception:  # a worker whose records fail takes calls
                    logger.exception("the records cannot be kept", extra={"again_s": TROUBLED_S})
                    await asyncio.sleep(TROUBLED_S)
                await asyncio.sleep(self._poll_s)
        finally:
            if held:
                held.close()

    async def _clean(self) -> None:
        removed = await self._offload(RecordFolder(self._settings.folder).remove_old, self._now(), self._settings.days)
        logger.info("old records removed", extra={"records": removed, "days": self._settings.days})

    async def _end_broken_off(self) -> None:
        for timeline in await self._offload(end_broken_off, self._settings.folder, self._hopeless):
            if self._settings.webhook:
                record = self._settings.folder / timeline.record
                await self._offload(self._outbox.put, PendingNotice(record, webhook_body(timeline, str(record))))

    async def _send(self) -> None:
        notices: list[PendingNotice] = await self._offload(self._outbox.notices)
        self._attempts = {
            notice.record.name: self._attempts.get(notice.record.name, NoticeAttempts()) for notice in notices
        }
        for notice in notices:
            if self._time() >= self._attempts[notice.record.name].due:
                await self._try(notice)

    async def _try(self, notice: PendingNotice) -> None:
        name = notice.record.name
        headers = signed(self._settings.secret, name, int(self._now().timestamp()), notice.body)
        try:
            await self._post(self._settings.webhook, headers, notice.body)
        except NoticeRefused as error:
            times = self._attempts[name].times + 1
            if times <= len(self._again_s) and not error.for_good:
                self._attempts[name] = NoticeAttempts(times, self._time() + self._again_s[times - 1])
                logger.warning("the webhook was not told", extra={"record": name, "times": times, "why": str(error)})
                return
            logger.error("the webhook is not told", extra={"record": name, "times": times, "why": str(error)})
        await self._offload(self._outbox.drop, notice)

    def _time(self) -> float:
        return asyncio.get_running_loop().time()
