"""One call of one telephone, as a test sees it: what was heard of it, and what it can be told to do."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from infra.bench.base.speech import RATE, Sound, write_wav
from infra.bench.person.diary import Diary
from infra.bench.person.recording import Recording
from infra.bench.person.task_scope import TaskScope
from tests.e2e.lines import Line, Manners
from tests.e2e.tape import Tape, narrow
from tests.e2e.telephone_process import TelephoneProcess
from tests.e2e.telephone_wire import (
    LINE_RATE,
    Answer,
    Dial,
    HangUp,
    Hold,
    Install,
    Moved,
    News,
    Order,
    Play,
    Playing,
    Press,
    Ready,
    Refused,
    Rings,
    TakeUp,
    Taping,
)

READY_S = 30.0
ANSWERED_S = 60.0
PLAYS_S = 15.0  # in which an order to play is followed
POLL_S = 0.02
EARLY, CONFIRMED, DISCONNECTED = "EARLY", "CONFIRMED", "DISCONNECTED"  # PJSIP's names of a call's states


class Handset:
    """A telephone with a process of its own, and its one call, from either side.

    Attributes:
        heard: What came from the other side, with times.
        status: The SIP status with which the call was answered or refused.
        rung: It has been called, or the other side rings.
        caller: The number that called it.
        lost: Why nothing can be done with it any more; empty: it can.
    """

    def __init__(self, folder: Path, line: Line, manners: Manners) -> None:
        self.diary = Diary(f"the phone {folder.name}")
        self.heard = Recording(self.diary)
        self.status, self.caller = 0, ""
        self.answered_at: float | None = None
        self.rung = self.over = False
        self._folder, self._line, self._manners = folder, line, manners
        self._clock = asyncio.get_running_loop().time
        self._process = TelephoneProcess(folder, self._on_news, line.socket.inside)
        self._ready = False
        self.lost = ""
        self._tape: Tape | None = None
        self._began_to_speak: list[float] = []

    async def install(self, tasks: TaskScope) -> None:
        """Returns when it can call and be called.

        Raises:
            AssertionError: It cannot; says why.
        """
        self._folder.mkdir()
        await self._process.start()
        tasks.start(self._listen(), f"{self._folder.name}:news")
        tasks.start(self._rewind(), f"{self._folder.name}:tape")
        line, at = self._line, self._line.socket
        owner = (line.number, line.user, line.password, line.port)
        plugged = partial(Install, *owner, str(self._folder), host=at.host, roots=at.roots)
        self._tell(plugged(certificate=at.certificate, key=at.key, srtp=at.srtp))
        await self._until(lambda: self._ready, READY_S, "a dial tone")

    async def aclose(self) -> None:
        await self._process.aclose()

    # What a test sees.

    async def answered(self) -> float:
        """When it was.

        Raises:
            AssertionError: It was not; says why.
        """
        await self._until(lambda: self.answered_at is not None or self.over, ANSWERED_S, "an answer")
        assert self.answered_at is not None, f"refused with {self.status}\n{self.diary}"
        return self.answered_at

    async def rings(self, within_s: float) -> None:
        """It does, or the other side."""
        await self._until(lambda: self.rung, within_s, "ringing")

    async def hung_up(self, within_s: float) -> None:
        """The call is over."""
        await self._until(lambda: self.over, within_s, "the end of the call")

    async def hears(self, since: float, within_s: float, wanted: str) -> float:
        """Return when something that was heard after that moment is over: when it began."""

        def over() -> bool:
            last = self.heard.stretches[-1:]
            return bool(last) and last[0].ended > since and not self.heard.sounds

        await self._until(over, within_s, wanted)
        return next(max(each.began, since) for each in self.heard.stretches if each.ended > since)

    async def hears_for(self, seconds: float, since: float, within_s: float, wanted: str) -> None:
        """Return when so much has been heard since then."""
        await self._until(lambda: self.heard.loud_s(since) > seconds, within_s, wanted)

    async def hears_nothing(self, within_s: float) -> None:
        """Return when the other side is silent."""
        await self._until(lambda: not self.heard.sounds, within_s, "silence")

    # What it can be told.

    def dials(self, uri: str) -> None:
        self._tell(Dial(uri))

    async def says(self, sound: Sound) -> float:
        """Say it to the end; returns when the last sample left."""
        await self._until(lambda: self._tape is not None, PLAYS_S, "somebody to speak to")
        before = len(self._began_to_speak)
        self._tell(Play(str(write_wav(self._folder / f"said-{before}.wav", narrow(sound), LINE_RATE))))
        await self._until(lambda: len(self._began_to_speak) > before, PLAYS_S, "that it speaks")
        ends = self._began_to_speak[-1] + len(sound) / RATE
        await asyncio.sleep(ends - self._clock())
        self.diary.note("has spoken")
        return ends

    def presses(self, digits: str) -> None:
        self._tell(Press(digits))

    def holds(self) -> None:
        self._tell(Hold())

    def takes_up_again(self) -> None:
        self._tell(TakeUp())

    def hangs_up(self) -> None:
        if not self.over:
            self._tell(HangUp())

    def loses_power(self) -> None:
        """Nothing comes from it any more: no sound, and no word."""
        self.diary.note("loses power")
        self._process.kill()

    def _tell(self, order: Order) -> None:
        if not isinstance(order, Install):
            self.diary.note(f"is told: {order}")
        self._process.tell(order)

    async def _until(self, seen: Callable[[], bool], within_s: float, wanted: str) -> None:
        await self.diary.until(lambda: bool(self.lost) or seen(), within_s, wanted)
        assert not self.lost, f"{self.lost}\n{self.diary}"

    # What its process tells.

    async def _listen(self) -> None:
        try:
            self.lost = await self._process.listen()
        except Exception as error:  # must not leave: it would cancel the fixtures of all tests
            self.lost = f"what the telephone says is not understood: {error!r}"
        self.diary.wake()

    async def _rewind(self) -> None:
        while True:
            if self._tape:
                self._tape.rewind(self.heard)
            await asyncio.sleep(POLL_S)

    def _on_news(self, news: News) -> None:
        match news:
            case Ready():
                self._ready = True
            case Rings(caller):
                self.rung, self.caller = True, caller
                self._receive()
            case Moved(state, status, _, at):
                self.status = status
                self.rung = self.rung or state == EARLY
                self.answered_at = at if state == CONFIRMED else self.answered_at
                self.over = state == DISCONNECTED
            case Taping(tape, at):
                self._tape = Tape(Path(tape), at)
            case Playing(at):
                self._began_to_speak.append(at)
            case Refused(order, why):
                self.lost = f"the telephone did not {order}: {why}"
        self.diary.note(str(news))

    def _receive(self) -> None:
        manners = self._manners
        if manners.status == 200:
            self._tell(Answer(183))
        asyncio.get_running_loop().call_later(manners.rings_s, self._tell, Answer(manners.status))
