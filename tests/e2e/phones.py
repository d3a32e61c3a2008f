"""A house full of telephones: a SIP user agent that nobody here wrote (PJSIP), on loopback."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pjsua2 as pj

from tests.e2e.handset import LINE_RATE, Handset
from tests.e2e.owned import owned_tasks

CODEC = "PCMU/8000/1"
POLL_S = 0.01
HOST = "127.0.0.1"
MOST_CALLS = 4  # that this build of PJSIP has
MOST_ACCOUNTS = 8  # and one more aborts the process


@dataclass(frozen=True, slots=True)
class Line:
    """Who calls, and what they show the server that asks for it."""

    number: str
    user: str = ""
    password: str = ""


CALLER_ID = "15550100999"  # that the agent shows when it rings up
OPERATOR = Line("15550100900")  # who answers a transferred call


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
        busy: They are refused instead.
    """

    def __init__(self, endpoint: Any, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.rings_s, self.busy = 0.0, False
        self.calls: list[Handset] = []
        self.incoming: list[Handset] = []
        self._endpoint = endpoint
        self._accounts: dict[Line, _Account] = {}
        self._own: set[Line] = set()
        self._dialled: dict[Line, Handset] = {}
        self._live: list[Handset] = []

    def own(self, line: Line) -> str:
        """Be reached under a number; returns the URI to dial."""
        self._own.add(line)
        self._account(line)
        return f"sip:{line.number}@{HOST}:{self.port}"

    def call(self, line: Line, uri: str) -> Handset:
        """Dial, and do not wait."""
        call = Handset(self._account(line), self.folder, f"{line.number}-{len(self.calls)}")
        self._dialled[line] = call
        self.calls.append(call)
        self._live.append(call)
        call.dials(uri)
        return call

    def comes(self, call: Handset) -> None:
        self.incoming.append(call)
        self._live.append(call)
        if self.busy:
            call.answers(486)
            return
        call.answers(183)
        asyncio.get_running_loop().call_later(self.rings_s, call.answers, 200)

    async def ring(self) -> None:
        """Let PJSIP work, until cancelled."""
        while True:
            self._endpoint.libHandleEvents(0)
            over = [call for call in self._live if call.over]
            for call in self._live:
                call.rewind()
            self._live = [call for call in self._live if call not in over]
            await asyncio.sleep(POLL_S)

    def hang_up(self) -> None:
        """All calls that still go on."""
        for call in self._live:
            if not call.over:
                call.hangs_up()

    def close(self) -> None:
        for call in [*self.calls, *self.incoming]:
            call.forget()
        self._accounts.clear()

    def _unused(self) -> Line:
        """Of which nobody is called any more, and with which no call goes on."""
        return next(line for line in self._accounts if line not in self._own and self._dialled[line].over)

    def _account(self, line: Line) -> _Account:
        if line not in self._accounts:
            if len(self._accounts) == MOST_ACCOUNTS:
                self._accounts.pop(self._unused()).shutdown()
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
