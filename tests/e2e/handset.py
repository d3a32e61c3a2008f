"""Telephones: a SIP user agent that nobody here wrote (PJSIP), on loopback, with recordings for ears and mouth.

PJSIP: https://docs.pjsip.org/en/latest/pjsua2/intro.html
"""

import asyncio
import weakref
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pjsua2 as pj
import soxr

from tests.e2e.diary import Diary
from tests.e2e.owned import owned_tasks
from tests.e2e.recording import Recording
from tests.e2e.speech import RATE, Sound, write_wav

LINE_RATE = 8_000  # Hz: G.711
CODEC = "PCMU/8000/1"
HEADER = 44  # bytes of a WAV file before its first sample
PIECE = LINE_RATE // 50 * 2  # bytes: 20 ms
POLL_S = 0.01
HOST = "127.0.0.1"
MOST_CALLS = 16
RINGS_S = 40.0


@dataclass(frozen=True, slots=True)
class Line:
    """Who calls, and what they show the server that asks for it."""

    number: str
    user: str = ""
    password: str = ""


CALLER_ID = "15550100999"  # that the agent shows when it rings up
OPERATOR = Line("15550100900")  # who answers a transferred call


class Handset:
    """One call, from either side.

    Attributes:
        heard: What came from the other side, with times.
        status: The SIP status with which the call was answered or refused.
        reason: Its words.
        caller: The number of the other side.
    """

    def __init__(self, account: pj.Account, folder: Path, name: str, call_id: int = pj.PJSUA_INVALID_ID) -> None:
        self.diary = Diary(f"the phone {name}")
        self.heard = Recording(self.diary)
        self.status, self.reason = 0, ""
        self.answered_at: float | None = None
        self.over = False
        self.caller = ""
        self._folder, self._name = folder, name
        self._clock = asyncio.get_running_loop().time
        self._call: Any = _Call(account, call_id, self)
        self._audio: Any = None
        self._recorder: Any = None
        self._players: list[Any] = []
        self._tape_began = 0.0
        self._read = HEADER

    @property
    def tape(self) -> Path:
        return self._folder / f"{self._name}.wav"

    def dials(self, uri: str) -> None:
        self.diary.note("dials")
        self._call.makeCall(uri, pj.CallOpParam(True))

    async def answered(self) -> float:
        """When it was.

        Raises:
            AssertionError: It was not; says why.
        """
        await self.diary.until(lambda: self.answered_at is not None or self.over, RINGS_S, "an answer")
        assert self.answered_at is not None, f"refused with {self.status} {self.reason}\n{self.diary}"
        return self.answered_at

    async def hung_up(self, within_s: float) -> None:
        """The call is over."""
        await self.diary.until(lambda: self.over, within_s, "the end of the call")

    async def says(self, sound: Sound) -> float:
        """Say it to the end; returns when the last sample left."""
        path = write_wav(self._folder / f"{self._name}-{len(self._players)}.wav", narrow(sound), LINE_RATE)
        player = pj.AudioMediaPlayer()
        player.createPlayer(str(path), pj.PJMEDIA_FILE_NO_LOOP)
        self._players.append(player)
        began = self._clock()
        player.startTransmit(self._audio)
        self.diary.note("speaks")
        ends = began + len(sound) / RATE
        await asyncio.sleep(ends - self._clock())
        self.diary.note("has spoken")
        return ends

    async def hears(self, since: float, within_s: float, wanted: str) -> float:
        """Return when something that was heard after that moment is over: when it began."""

        def over() -> bool:
            last = self.heard.stretches[-1:]
            return bool(last) and last[0].ended > since and not self.heard.sounds

        await self.diary.until(over, within_s, wanted)
        return next(max(each.began, since) for each in self.heard.stretches if each.ended > since)

    def presses(self, digits: str) -> None:
        self.diary.note(f"presses {digits}")
        self._call.dialDtmf(digits)

    def hangs_up(self) -> None:
        self._call.hangup(pj.CallOpParam())

    def holds(self) -> None:
        self.diary.note("holds")
        self._call.setHold(pj.CallOpParam())

    def takes_up_again(self) -> None:
        self.diary.note("takes up again")
        parameters = pj.CallOpParam(True)
        parameters.opt.flag = pj.PJSUA_CALL_UNHOLD
        self._call.reinvite(parameters)

    def answers(self, status: int) -> None:
        """183: with early media; 200: picks up."""
        parameters = pj.CallOpParam()
        parameters.statusCode = status
        self._call.answer(parameters)

    def rewind(self) -> None:
        """Hear what has been recorded since the last time."""
        if not self.tape.exists():
            return
        with self.tape.open("rb") as file:
            file.seek(self._read)
            pcm = file.read()
        for begin in range(0, len(pcm) // PIECE * PIECE, PIECE):
            self._read += PIECE
            at = self._tape_began + (self._read - HEADER) / 2 / LINE_RATE
            self.heard.hear(np.frombuffer(pcm, np.int16, PIECE // 2, begin), at)

    def forget(self) -> None:
        """Give back what is PJSIP's."""
        self._audio = self._recorder = self._call = None
        self._players.clear()

    # What PJSIP tells.

    def on_state(self, info: Any) -> None:
        self.caller = info.remoteUri.partition("sip:")[2].partition("@")[0]
        self.diary.note(f"{info.stateText} {info.lastStatusCode}")
        self.status, self.reason = info.lastStatusCode, info.lastReason
        if info.state == pj.PJSIP_INV_STATE_CONFIRMED:
            self.answered_at = self._clock()
        self.over = info.state == pj.PJSIP_INV_STATE_DISCONNECTED
        self.diary.wake()

    def on_media(self, audio: Any) -> None:
        self._audio = audio
        if self._recorder is None:
            self._recorder = pj.AudioMediaRecorder()
            self._recorder.createRecorder(str(self.tape))
            self._tape_began = self._clock()
        audio.startTransmit(self._recorder)


class _Call(pj.Call):  # type: ignore[misc]
    """PJSIP's side of a handset; it must be gone before PJSIP is."""

    def __init__(self, account: pj.Account, call_id: int, handset: Handset) -> None:
        super().__init__(account, call_id)
        self._handset = weakref.ref(handset)

    def onCallState(self, prm: Any) -> None:
        if handset := self._handset():
            handset.on_state(self.getInfo())

    def onCallMediaState(self, prm: Any) -> None:
        info = self.getInfo()  # its media die with it
        active = any(media.status == pj.PJSUA_CALL_MEDIA_ACTIVE for media in info.media)
        if active and (handset := self._handset()):
            handset.on_media(self.getAudioMedia(-1))


class _Account(pj.Account):  # type: ignore[misc]
    def __init__(self, house: "Phones") -> None:
        super().__init__()
        self._house = house

    def onIncomingCall(self, prm: Any) -> None:
        self._house.comes(Handset(self, self._house.folder, f"in-{len(self._house.incoming)}", prm.callId))


class Phones:
    """A house full of telephones.

    Attributes:
        incoming: Calls that came; all of them are taken.
        rings_s: After so long, with early media meanwhile.
    """

    def __init__(self, endpoint: Any, folder: Path, port: int) -> None:
        self.folder, self.port, self.rings_s = folder, port, 0.0
        self.calls: list[Handset] = []
        self.incoming: list[Handset] = []
        self._endpoint = endpoint
        self._accounts: dict[Line, _Account] = {}

    def own(self, line: Line) -> str:
        """Be reached under a number; returns the URI to dial."""
        self._account(line)
        return f"sip:{line.number}@{HOST}:{self.port}"

    def call(self, line: Line, uri: str) -> Handset:
        """Dial, and do not wait."""
        call = Handset(self._account(line), self.folder, f"{line.number}-{len(self.calls)}")
        self.calls.append(call)
        call.dials(uri)
        return call

    def comes(self, call: Handset) -> None:
        self.incoming.append(call)
        call.answers(183)
        asyncio.get_running_loop().call_later(self.rings_s, call.answers, 200)

    async def ring(self) -> None:
        """Let PJSIP work, until cancelled."""
        while True:
            self._endpoint.libHandleEvents(0)
            for call in [*self.calls, *self.incoming]:
                call.rewind()
            await asyncio.sleep(POLL_S)

    def close(self) -> None:
        for call in [*self.calls, *self.incoming]:
            call.forget()
        self._accounts.clear()

    def _account(self, line: Line) -> _Account:
        if line not in self._accounts:
            config = pj.AccountConfig()
            config.idUri = f"sip:{line.number}@{HOST}"
            config.mediaConfig.transportConfig.boundAddress = HOST
            if line.user:
                config.sipConfig.authCreds.append(pj.AuthCredInfo("digest", "*", line.user, 0, line.password))
            account = _Account(self)
            account.create(config)
            self._accounts[line] = account
        return self._accounts[line]


@asynccontextmanager
async def phones(folder: Path) -> AsyncGenerator[Phones]:
    """PJSIP, for as long as the context lasts. There is one in a process."""
    endpoint = pj.Endpoint()
    endpoint.libCreate()
    config = pj.EpConfig()
    config.uaConfig.threadCnt = 0
    config.uaConfig.mainThreadOnly = True
    config.uaConfig.maxCalls = MOST_CALLS
    config.logConfig.level = 4
    config.logConfig.consoleLevel = 0
    config.logConfig.filename = str(folder / "pjsip.log")
    config.medConfig.clockRate = config.medConfig.sndClockRate = LINE_RATE
    config.medConfig.noVad = True
    endpoint.libInit(config)
    transport = pj.TransportConfig()
    transport.boundAddress = HOST
    transport_id = endpoint.transportCreate(pj.PJSIP_TRANSPORT_UDP, transport)
    endpoint.libStart()
    endpoint.audDevManager().setNullDev()
    for codec in endpoint.codecEnum2():
        endpoint.codecSetPriority(codec.codecId, 255 if codec.codecId == CODEC else 0)
    port = int(endpoint.transportGetInfo(transport_id).localName.rpartition(":")[2])
    house = Phones(endpoint, folder, port)
    try:
        async with owned_tasks() as tasks:
            tasks.start(house.ring(), "phones")
            yield house
            endpoint.hangupAllCalls()
            await asyncio.sleep(0.2)
    finally:
        house.close()
        endpoint.libDestroy()


def narrow(sound: Sound) -> Sound:
    """What a telephone makes of a microphone's sound: 8 kHz."""
    return np.asarray(soxr.resample(sound, RATE, LINE_RATE), np.int16)
