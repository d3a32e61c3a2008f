"""Requests that no telephone would send, from sipp: https://sipp.readthedocs.io."""

import asyncio
import csv
import shutil
from asyncio.subprocess import DEVNULL
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.exchange import Exchange
from tests.e2e.lines import Line
from tests.e2e.telephone_wire import HOST

SDP = """v=0
o=tester 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [local_ip]
t=0 0
m=audio [media_port] RTP/AVP 0
a=rtpmap:0 PCMU/8000
"""
WAIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Invite:
    """An INVITE, well-formed unless told otherwise.

    Attributes:
        to: The number that is dialled.
        without: Headers that are left out.
        instead: Headers with another value.
        sdp: Its body.
    """

    to: str
    method: str = "INVITE"
    without: tuple[str, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()
    sdp: str = SDP

    def message(self, number: str, cseq: int, more: str = "") -> str:
        headers = {
            "Via": "SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
            "From": f"<sip:{number}@[local_ip]:[local_port]>;tag=[call_number]",
            "To": f"<sip:{self.to}@[remote_ip]:[remote_port]>",
            "Call-ID": "[call_id]",
            "CSeq": f"{cseq} {self.method}",
            "Contact": f"<sip:{number}@[local_ip]:[local_port]>",
            "Max-Forwards": "70",
            "Content-Type": "application/sdp",
            "Content-Length": "[len]",
        }
        headers |= dict(self.instead)
        lines = [f"{name}: {value}" for name, value in headers.items() if name not in self.without]
        request = f"{self.method} sip:{self.to}@[remote_ip]:[remote_port] SIP/2.0"
        return "\n".join([request, *lines, *([more] if more else []), "", self.sdp])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many calls went as the scenario says.

    Attributes:
        taken: Of those that did, how many were answered with 200.
    """

    as_expected: int
    otherwise: int
    taken: int


def answered_at_once(invite: Invite, number: str, status: int) -> str:
    """The request, and the one answer to it."""
    return _scenario(
        _send(invite.message(number, 1)), _receive(100, optional=True), _receive(status), *_ack(invite, number, 1)
    )


def unanswered(invite: Invite, number: str) -> str:
    """Nothing comes back."""
    return _scenario(_send(invite.message(number, 1)), '<pause milliseconds="1500"/>')


def never_answered(invite: Invite, number: str) -> str:
    """It may ring, but that is all."""
    return _scenario(
        _send(invite.message(number, 1)),
        _receive(100, optional=True),
        _receive(180),
        '<pause milliseconds="1500"/>',
    )


def refused(invite: Invite, number: str, status: int) -> str:
    """With the password shown, when it is asked for."""
    return _scenario(*_authenticated(invite, number), _receive(status), *_ack(invite, number, 2))


def refused_or_taken(invite: Invite, number: str, status: int) -> str:
    """Whoever is taken hangs up when the flood is over, and is counted."""
    return _scenario(
        *_authenticated(invite, number),
        '<recv response="200" optional="true" rrs="true" next="1" counter="1"/>',
        _receive(status),
        *_ack(invite, number, 2),
        '<nop next="2"/>',
        '<label id="1"/>',
        *_ack(invite, number, 2),
        '<pause milliseconds="6000"/>',
        _send(_in_dialog("BYE", invite, number, 3), retrans=True),
        _receive(200),
        '<label id="2"/>',
    )


def silent(invite: Invite, number: str) -> str:
    """Is answered, sends no sound, and waits until the other side hangs up."""
    return _scenario(
        *_authenticated(invite, number),
        '<recv response="200" rrs="true"/>',
        *_ack(invite, number, 2),
        '<recv request="BYE"/>',
        _send(
            "SIP/2.0 200 OK\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n"
            "Content-Length: 0\n\n"
        ),
    )


async def sipp(
    folder: Path,
    name: str,
    exchange: Exchange,
    line: Line,
    scenario: str,
    *,
    calls: int = 1,
    per_s: int = 10,
    host: str = HOST,
) -> Outcome:
    """Run a scenario against the bridge, from the address `host`."""
    program = shutil.which("sipp")
    if program is None:
        pytest.skip("sipp is missing; on Debian: apt-get install sip-tester")
    path, figures = folder / f"{name}.xml", folder / f"{name}.csv"
    path.write_text(scenario)
    argv = [program, exchange.address, "-sf", str(path), "-i", host, "-m", str(calls), "-r", str(per_s)]
    argv += ["-au", line.user, "-ap", line.password, "-timeout", f"{WAIT_S + 20:.0f}", "-recv_timeout", "20000"]
    argv += ["-trace_stat", "-stf", str(figures), "-fd", "1", "-trace_err", "-error_file", str(folder / f"{name}.err")]
    argv += ["-nostdin"]
    process = await asyncio.create_subprocess_exec(*argv, cwd=folder, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    try:
        async with asyncio.timeout(WAIT_S + 30):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    *_, last = csv.DictReader(figures.read_text().splitlines(), delimiter=";")
    taken = int(last.get("GenericCounter1(C)") or 0)
    return Outcome(int(last["SuccessfulCall(C)"]), int(last["FailedCall(C)"]), taken)


def _scenario(*steps: str) -> str:
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<scenario name="phone">\n'
    return head + "\n".join(steps) + "\n</scenario>\n"


def _authenticated(invite: Invite, number: str) -> tuple[str, ...]:
    return (
        _send(invite.message(number, 1), retrans=True),
        _receive(100, optional=True),
        '<recv response="407" auth="true"/>',
        *_ack(invite, number, 1),
        _send(invite.message(number, 2, "[authentication]"), retrans=True),
        _receive(100, optional=True),
        _receive(180, optional=True),
    )


def _ack(invite: Invite, number: str, cseq: int) -> tuple[str, ...]:
    return (_send(_in_dialog("ACK", invite, number, cseq)),) if invite.method == "INVITE" else ()


def _in_dialog(method: str, invite: Invite, number: str, cseq: int) -> str:
    return (
        f"{method} sip:{invite.to}@[remote_ip]:[remote_port] SIP/2.0\n"
        "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]\n"
        f"From: <sip:{number}@[local_ip]:[local_port]>;tag=[call_number]\n"
        "[last_To:]\nCall-ID: [call_id]\n"
        f"CSeq: {cseq} {method}\nMax-Forwards: 70\nContent-Length: 0\n\n"
    )


def _send(message: str, *, retrans: bool = False) -> str:
    again = ' retrans="500"' if retrans else ""
    return f"<send{again}><![CDATA[\n{message}\n]]></send>"


def _receive(status: int, *, optional: bool = False) -> str:
    maybe = ' optional="true"' if optional else ""
    return f'<recv response="{status}"{maybe}/>'
