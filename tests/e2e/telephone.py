"""A telephone in a process of its own, for one call: a SIP user agent that nobody here wrote (PJSIP), on loopback.

    python -m tests.e2e.telephone

It takes orders on its standard input and tells on its standard output what happens. When there are no more orders, it
hangs up and ends. PJSIP: https://docs.pjsip.org/en/latest/pjsua2/intro.html
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pjsua2 as pj

from tests.e2e.pjsip import account_config, open_endpoint
from tests.e2e.telephone_wire import (
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
    line,
    order,
)

LIFE_S = 300.0
GOODBYE_S = 1.0
POLL_S = 0.01


class Telephone:
    """One account at which one call is made or taken."""

    def __init__(self, endpoint: Any, installed: Install, tell: Callable[[News], None]) -> None:
        self._endpoint, self._folder, self._tell = endpoint, Path(installed.folder), tell
        self._clock = asyncio.get_running_loop().time
        self._account = _Account(self, installed)
        self._call: _Call | None = None
        self._own = ""  # the Call-ID of its own call
        self._audio: Any = None
        self._recorder: Any = None
        self._players: list[Any] = []

    def obey(self, wish: Order) -> None:
        try:
            self._obey(wish)
        except Exception as error:  # pj.Error where PJSIP refuses, AttributeError where there is no call
            self._tell(Refused(type(wish).__name__, str(getattr(error, "reason", error))))

    def _obey(self, wish: Order) -> None:
        call: Any = self._call
        match wish:
            case Dial(uri):
                self._call = _Call(self, self._account, pj.PJSUA_INVALID_ID)
                self._call.makeCall(uri, pj.CallOpParam(True))
            case Answer(status):
                parameters = pj.CallOpParam()
                parameters.statusCode = status
                call.answer(parameters)
            case Play(wav):
                player = pj.AudioMediaPlayer()
                player.createPlayer(wav, pj.PJMEDIA_FILE_NO_LOOP)
                self._players.append(player)
                player.startTransmit(self._audio)
                self._tell(Playing(self._clock()))
            case Press(digits):
                call.dialDtmf(digits)
            case Hold():
                call.setHold(pj.CallOpParam())
            case TakeUp():
                parameters = pj.CallOpParam(True)
                parameters.opt.flag = pj.PJSUA_CALL_UNHOLD
                call.reinvite(parameters)
            case HangUp():
                self._endpoint.hangupAllCalls()

    @property
    def busy(self) -> bool:
        """It has a call that is not over."""
        return self._call is not None and self._call.isActive()

    def work(self) -> None:
        """Let PJSIP do what is due."""
        self._endpoint.libHandleEvents(0)

    # What PJSIP tells.

    def on_incoming(self, call_id: int) -> None:
        self._call = _Call(self, self._account, call_id)
        self._tell(Rings(self._call.getInfo().remoteUri.partition("sip:")[2].partition("@")[0]))

    def on_state(self, info: Any) -> None:
        self._own = self._own or info.callIdString
        if info.callIdString != self._own:
            return  # of the call that it makes when it is put through
        self._tell(Moved(info.stateText, info.lastStatusCode, info.lastReason, self._clock()))

    def on_media(self, audio: Any) -> None:
        self._audio = audio
        if self._recorder is None:
            tape = str(self._folder / "tape.wav")
            self._recorder = pj.AudioMediaRecorder()
            self._recorder.createRecorder(tape)
            self._tell(Taping(tape, self._clock()))
        audio.startTransmit(self._recorder)


class _Account(pj.Account):  # type: ignore[misc]
    def __init__(self, telephone: Telephone, installed: Install) -> None:
        super().__init__()
        self._telephone = telephone
        self.create(account_config(installed))

    def onIncomingCall(self, prm: Any) -> None:
        self._telephone.on_incoming(prm.callId)


class _Call(pj.Call):  # type: ignore[misc]
    def __init__(self, telephone: Telephone, account: _Account, call_id: int) -> None:
        super().__init__(account, call_id)
        self._telephone = telephone

    def onCallState(self, prm: Any) -> None:
        self._telephone.on_state(self.getInfo())

    def onCallMediaState(self, prm: Any) -> None:
        info = self.getInfo()  # its media die with it
        if any(media.status == pj.PJSUA_CALL_MEDIA_ACTIVE for media in info.media):
            self._telephone.on_media(self.getAudioMedia(-1))


async def serve(orders: asyncio.StreamReader, tell: Callable[[News], None]) -> None:
    installed = order(await orders.readline())
    assert isinstance(installed, Install)
    endpoint, port = open_endpoint(installed)
    telephone = Telephone(endpoint, installed, tell)
    tell(Ready(port))
    async with asyncio.timeout(LIFE_S), asyncio.TaskGroup() as tasks:
        working = tasks.create_task(_work(telephone), name="telephone:work")
        while wish := await orders.readline():
            telephone.obey(order(wish))
        endpoint.hangupAllCalls()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                while telephone.busy:
                    await asyncio.sleep(POLL_S)
        working.cancel()


async def _work(telephone: Telephone) -> None:
    while True:
        telephone.work()
        await asyncio.sleep(POLL_S)


async def main() -> None:
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # PJSIP writes there, too
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)

    def tell(what: News) -> None:
        out.write(line(what))

    await serve(orders, tell)


if __name__ == "__main__":
    asyncio.run(main())
    os._exit(0)  # PJSIP's own end is not what is tested
