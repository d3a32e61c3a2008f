"""What differs for somebody on the phone: when they are greeted, their keys, and all the ways in which a call ends."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.phone.call_record import CallRecord
from agent.settings.phone import PhoneSettings

logger = logging.getLogger(__name__)

Key = Literal["repeat", "end", "person"]
KEYS: dict[str, Key] = {"*": "repeat", "#": "end", "0": "person"}

GOODBYE = "Goodbye."
TOO_LONG = "We have talked for as long as a call may take. Thank you, and goodbye."
PUT_THROUGH = "One moment, I put you through."
NOBODY = "I am sorry, nobody else can be reached just now."
FAREWELL_S = 15.0  # that the last words may take
LINE_S = 0.4  # from the last sample that leaves here to the caller's ear
ARRIVES_S = 5.0  # within which somebody is in the room: who gave up while we joined never comes
PATIENCE_S = 20.0  # with a pipeline that was there and is away: it may be starting again


class Speaker(Protocol):
    """The conversation, as far as the telephone needs it."""

    def listen(self) -> None:
        """What comes from the caller counts from now on."""
        ...

    def greet(self) -> None: ...

    def repeat(self) -> None: ...

    async def say(self, text: str) -> None:
        """Returns when it has been played, or interrupted."""
        ...

    async def apologise(self) -> None:
        """Play the recording that needs no pipeline; returns when it has been played, or interrupted."""
        ...


class Bridge(Protocol):
    """What the SIP bridge can do to the call."""

    async def hang_up(self) -> None: ...

    async def transfer(self, to: str) -> bool:
        """Send the caller elsewhere; returns whether they got there."""
        ...


class Telephone:
    """One phone call, from its first ring to its end.

    Args:
        over: Called once, with the reason, when the call has ended.
    """

    def __init__(
        self,
        speaker: Speaker,
        bridge: Bridge,
        settings: PhoneSettings,
        record: CallRecord,
        over: Callable[[str], None],
    ) -> None:
        self._speaker, self._bridge, self._settings, self._record, self._over = speaker, bridge, settings, record, over
        self._tasks = OwnedTasks()
        self._active = self._ending = self._line_was_up = False
        self._trouble = ""
        self._transfer: asyncio.Task[None] | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._patience: asyncio.TimerHandle | None = None
        self._arrival: asyncio.TimerHandle | None = None

    def expect(self) -> None:
        """We are in the room; the caller is, too, or never comes."""
        self._arrival = self._later(ARRIVES_S, self._close, "nobody came")

    @log_exceptions
    def on_status(self, status: str) -> None:
        """`sip.callStatus`. While it rings, what can be heard is early media and nobody's voice.

        Who is cut off stays in the room for half a minute, until the bridge no longer waits for an answer to its BYE.
        """
        if self._arrival:
            self._arrival.cancel()
        if status == "hangup" and not self._ending:
            self._ending = True
            self._tasks.start(self._let_go("hung up"), "phone:hangup")
        if status != "active" or self._active or self._ending:
            return
        self._active = True
        self._record.active()
        self._timers.append(self._later(self._settings.longest_s, self._end, "too long", TOO_LONG))
        self._speaker.listen()
        if self._trouble:
            self._give_up()
        else:
            self._speaker.greet()

    @log_exceptions
    def on_key(self, digit: str) -> None:
        """DTMF. Other keys mean nothing."""
        if not self._active or self._ending or digit not in KEYS:
            return
        key = KEYS[digit]
        logger.info("key", extra={"key": key})
        match key:
            case "end":
                self._end("ended by key", GOODBYE)
            case _ if self._transfers:
                """One transfer is enough, and nothing is said over it."""
            case "repeat":
                self._speaker.repeat()
            case "person":
                self._transfer = self._tasks.start(self._put_through(), "phone:transfer")

    @log_exceptions
    def on_trouble(self, trouble: str) -> None:
        """What is wrong with the line to the pipeline; empty: nothing any more."""
        self._trouble = trouble
        self._line_was_up = self._line_was_up or not trouble
        if self._patience and not trouble:
            self._patience.cancel()
            self._patience = None
        if trouble and self._active and not self._ending:
            if not self._line_was_up:
                self._give_up()
            elif self._patience is None:
                self._patience = self._later(PATIENCE_S, self._give_up)

    @log_exceptions
    def on_left(self, reason: str) -> None:
        """The caller is no longer there."""
        self._close(reason)

    async def end(self, reason: str) -> None:
        """Hang up: goodbye has been said."""
        if not self._ending:
            self._ending = True
            await self._let_go(reason)

    async def aclose(self) -> None:
        """The job ends, for whatever reason."""
        self._close("the agent stops")
        await self._tasks.aclose()

    @property
    def _transfers(self) -> bool:
        """The caller is being put through, or told that nobody can be reached."""
        return self._transfer is not None and not self._transfer.done()

    def _give_up(self) -> None:
        if self._transfers:  # that needs no pipeline
            self._patience = self._later(PATIENCE_S, self._give_up)
        elif not self._ending:
            self._ending = True
            self._tasks.start(self._apologise(), "phone:apology")

    def _end(self, reason: str, farewell: str) -> None:
        if not self._ending:
            self._ending = True
            self._tasks.start(self._say_and_end(reason, farewell), "phone:end")

    async def _apologise(self) -> None:
        await self._within_reason(self._speaker.apologise)
        await self._hang_up("no place")

    async def _say_and_end(self, reason: str, farewell: str) -> None:
        await self._stop_transfer()
        await self._within_reason(lambda: self._speaker.say(farewell))
        await self._hang_up(reason)

    async def _put_through(self) -> None:
        operator = self._settings.operator
        if operator:
            await self._within_reason(lambda: self._speaker.say(PUT_THROUGH))
            if await self._bridge.transfer(operator):
                self._ending = True
                self._record.close("put through")
                await self._hang_up("put through")
                return
        await self._within_reason(lambda: self._speaker.say(NOBODY))

    async def _let_go(self, reason: str) -> None:
        await self._stop_transfer()
        await self._hang_up(reason)

    async def _stop_transfer(self) -> None:
        if self._transfer:
            self._transfer.cancel()
            await asyncio.gather(self._transfer, return_exceptions=True)

    async def _hang_up(self, reason: str) -> None:
        await asyncio.sleep(LINE_S)
        self._record.close(reason)
        await self._bridge.hang_up()
        self._close(reason)

    async def _within_reason(self, speak: Callable[[], Awaitable[None]]) -> None:
        """What cannot be spoken keeps nobody on the line."""
        try:
            async with asyncio.timeout(FAREWELL_S):
                await speak()
        except Exception:
            logger.exception("it was not spoken")

    def _close(self, reason: str) -> None:
        for timer in (*self._timers, self._patience, self._arrival):
            if timer:
                timer.cancel()
        self._timers.clear()
        self._ending = True
        self._record.close(reason)
        over, self._over = self._over, lambda _: None
        over(reason)

    def _later(self, seconds: float, act: Callable[..., None], *arguments: str) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, act, *arguments)
