"""Telephones in the caller's network of two, that call over TLS with SRTP unless they are told otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agent.web.outside.certificates import LocalCertificate
from tests.e2e.lines import Line, Socket
from tests.e2e.tape import HEADER
from tests.e2e.two_networks import CALLER, SERVER, TwoNetworks
from tests.e2e.unlimited_root import unlimited_root

CARRIER_PORT = 5071
G711_20_MS, SRTP_TAG = 160, 10  # bytes; the tag is that of AES_CM_128_HMAC_SHA1_80

REDIRECT = f"""
table ip another {{{{
  chain out {{{{
    type nat hook output priority -100;
    ip daddr {{address}} dnat to {SERVER};
  }}}}
}}}}
"""


@dataclass(frozen=True, slots=True)
class Phoned:
    """Who calls, and with what.

    Attributes:
        root: Vouches for the bridge.
        carriers: What the carrier shows. Its own root vouches for nobody else.
    """

    networks: TwoNetworks
    user: str
    password: str
    root: Path
    carriers: LocalCertificate

    @property
    def inside(self) -> tuple[str, ...]:
        return tuple(self.networks.inside(self.networks.caller))

    @property
    def others_root(self) -> str:
        return str(self.carriers.root)

    def line(self, number: str, *, roots: str | None = None, srtp: bool = True) -> Line:
        """Of somebody who knows the password."""
        trusts = str(self.root) if roots is None else roots
        return Line(number, self.user, self.password, socket=Socket(self.inside, CALLER, trusts, srtp=srtp))

    def carrier(self, number: str, shown: LocalCertificate | None = None) -> Line:
        """Who takes the agent's calls, and shows its own certificate unless it is to show another one."""
        own = shown or self.carriers
        shows = {"certificate": str(own.certificate), "key": str(own.key)}
        socket = Socket(self.inside, CALLER, str(self.root), **shows, srtp=True)
        return Line(number, port=CARRIER_PORT, socket=socket)

    @contextmanager
    def known_as(self, address: str) -> Iterator[None]:
        """In the caller's network the server has another address for as long as the context lasts."""
        with self.networks.gate(REDIRECT.format(address=address)):
            yield


def phoned_from(
    networks: TwoNetworks, keys: Mapping[str, str], tls: Path, carriers: LocalCertificate, folder: Path
) -> Phoned:
    """Those of a stack with the local authority in `tls`."""
    return Phoned(networks, keys["AURA_SIP_USER"], keys["AURA_SIP_PASSWORD"], unlimited_root(tls, folder), carriers)


def in_the_clear(tape: Path) -> bytes:
    """What a telephone has heard, as a wire would carry it unencrypted: G.711 µ-law, here without its inverted bits,
    which change no count."""
    pcm = tape.read_bytes()[HEADER:]
    sound = np.frombuffer(pcm, np.int16, len(pcm) // 2).astype(int)
    level = np.minimum(np.abs(sound), 32_635) + 132
    segment = np.log2(level).astype(int) - 7
    return bytes(((sound < 0) * 128 + segment * 16 + (level >> segment + 3) % 16).astype(np.uint8))
