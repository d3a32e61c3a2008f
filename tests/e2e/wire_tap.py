"""What passes a network, as whoever taps its cable sees it.

    python -m tests.e2e.wire_tap FILE

writes each IPv4 packet that its network sends or receives to the file, with two bytes of length before it, until its
standard input ends. It runs in the network that is tapped, as root.
"""

import asyncio
import select
import socket
import struct
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]

ALL, IPV4 = 0x0003, 0x0800  # of linux/if_ether.h
TCP, UDP = 6, 17
RTP_HEADER = 12  # bytes, as everybody here sends it: no extension, no other sources
READY_S = 60.0  # on a machine that has other work, too


@dataclass(frozen=True, slots=True)
class Packet:
    """What one of TCP or UDP carried.

    Attributes:
        ports: From and to.
    """

    protocol: int
    source: str
    ports: tuple[int, int]
    payload: bytes


class WireTap:
    """What has passed until now."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def packets(self) -> list[Packet]:
        data, found = self._file.read_bytes(), []
        while len(data) >= 2:
            (length,) = struct.unpack_from("!H", data)
            if packet := _packet(data[2 : 2 + length]):
                found.append(packet)
            data = data[2 + length :]
        return found

    def sounds(self, source: str) -> list[bytes]:
        """What the packets of RTP from there held: those that come 50 times a second."""
        return [
            packet.payload[RTP_HEADER:]
            for packet in self.packets()
            if packet.protocol == UDP and packet.source == source and _is_rtp(packet.payload)
        ]


def bits_per_byte(data: bytes) -> float:
    """How much each byte tells: 8 of what is well encrypted, fewer of a sound."""
    _, counts = np.unique(np.frombuffer(data, np.uint8), return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


@asynccontextmanager
async def wire_tap(inside: Sequence[str], file: Path) -> AsyncGenerator[WireTap]:
    """Tap a network for as long as the context lasts.

    Args:
        inside: The words before a command by which that runs in the network.
    """
    argv = [*inside, sys.executable, "-m", "tests.e2e.wire_tap", str(file)]
    process = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, stdin=PIPE, stdout=PIPE)
    assert process.stdin and process.stdout
    try:
        async with asyncio.timeout(READY_S):
            assert await process.stdout.readline() == b"taps\n"
        yield WireTap(file)
    finally:
        process.stdin.close()
        await process.wait()


def _packet(data: bytes) -> Packet | None:
    start, protocol = 4 * (data[0] & 0x0F), data[9]
    if protocol == UDP:
        header = 8
    elif protocol == TCP and len(data) > start + 12:
        header = 4 * (data[start + 12] >> 4)
    else:
        return None
    source, destination = struct.unpack_from("!HH", data, start)
    length = int.from_bytes(data[2:4])
    return Packet(protocol, socket.inet_ntoa(data[12:16]), (source, destination), data[start + header : length])


def _is_rtp(payload: bytes) -> bool:
    """Version 2, and no RTCP, whose types would be payload types from 64 on (RFC 5761)."""
    return len(payload) > RTP_HEADER and payload[0] >> 6 == 2 and payload[1] & 0x7F < 64


def main(file: Path) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL)) as wire, file.open("wb") as out:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        wire.settimeout(0.1)
        print("taps", flush=True)
        while not select.select([0], [], [], 0)[0]:
            try:
                data, (_, protocol, *_) = wire.recvfrom(1 << 16)
            except TimeoutError:
                continue
            if protocol == IPV4:
                out.write(struct.pack("!H", len(data)) + data)
                out.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
