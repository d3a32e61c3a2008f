"""What the services are told where other devices are served: certificate, ports, and how media get through."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from infra.free_ports import LOOPBACK
from infra.launcher.base.errors import CommandFailed, LauncherError
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import ForOthers
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.supervise.acme import get_certificate
from infra.launcher.supervise.ports import HTTP, HTTPS, Ports

PASSWORD = "AURA_WEB_PASSWORD"
DISCARD = 9  # nothing answers there. A server at the port of media has browsers lose the way to that very port


@dataclass(frozen=True, slots=True)
class ShownCertificate:
    """Files in PEM.

    Attributes:
        root: Which devices must be given; None: they trust it already.
    """

    certificate: Path
    key: Path
    root: Path | None = None


async def shown_certificate(setup: SetupContext, others: ForOthers, ports: Ports) -> ShownCertificate:
    """The certificate that other devices are shown: a public one, somebody's own, if it is good, or a local one.

    Raises:
        LauncherError: What is wrong with it.
    """
    layout = setup.layout
    program: str | Path = layout.venv / "bin" / "aura-agent"
    if others.acme:
        with setup.display.step("certificate"):
            return ShownCertificate(*await get_certificate(setup, others, ports.trust))
    hosts = dict.fromkeys((others.host, others.address))
    command: list[str | Path] = [program, "certificate", *(word for host in hosts for word in ("--host", host))]
    if others.certificate and others.key:
        shown = ShownCertificate(others.certificate, others.key)
        command += ["--cert", shown.certificate, "--key", shown.key]
    else:
        folder = _folder(layout)
        shown = ShownCertificate(folder / "server.pem", folder / "server.key", folder / "root.pem")
        command += ["--folder", folder]
    try:
        with setup.display.step("certificate"):
            await setup.run("certificate", command)
    except CommandFailed as failed:
        raise LauncherError(failed.output.strip() or str(failed)) from failed
    return shown


def web_environ(others: ForOthers, ports: Ports, shown: ShownCertificate) -> dict[str, str]:
    """What the page's server is told."""
    root = {"AURA_WEB_ROOT": str(shown.root)} if shown.root else {}
    return {
        "AURA_WEB_HOST": others.host,
        "AURA_WEB_LISTEN": others.listens_on,
        "AURA_WEB_CERT": str(shown.certificate),
        "AURA_WEB_KEY": str(shown.key),
        "AURA_TLS_PORT": str(ports.tls),
        "AURA_TRUST_PORT": str(ports.trust),
        "AURA_TURN_PORT": str(ports.turn if _has_turn(others, ports) else 0),
        **root,
    }


def livekit_network(others: ForOthers | None, ports: Ports) -> Mapping[str, str]:
    """What stands in `infra/livekit/livekit.yaml` for the addresses of media, and for TURN."""
    if others is None:
        return {
            "node_ip": LOOPBACK,
            "stun": json.dumps([f"{LOOPBACK}:{DISCARD}"]),
            "interfaces": "interfaces:\n    includes: [lo]",
            "ips": f"{LOOPBACK}/32",
            "turn": "",
        }
    return {
        "node_ip": others.address,
        "stun": json.dumps(others.stun or [f"{others.address}:{DISCARD}"]),
        "interfaces": "",
        # Not loopback, too: each socket is announced at `node_ip`, and of two at one address one is used, by chance.
        "ips": f"{others.listens_on}/32",
        "turn": _turn(others, ports) if _has_turn(others, ports) else "",
    }


def _has_turn(others: ForOthers, ports: Ports) -> bool:
    """Whether TURN can work: livekit-server tells browsers port 443, and the relay reaches media at this machine's own
    address, which behind NAT is not the one that they are told."""
    return ports.tls == HTTPS and others.listens_on == others.address


def _turn(others: ForOthers, ports: Ports) -> str:
    """TURN behind the page's port: that server has taken the TLS off.

    It relays to the address of this machine and to nothing else, whatever a caller asks for. The relay itself is bound
    on loopback: what it relays comes from there, and no other device can send to it.
    """
    own = IPv4Network(others.address)
    nobody = json.dumps([*map(str, IPv4Network("0.0.0.0/0").address_exclude(own)), "::/0"])
    return (
        "turn:\n"
        "  enabled: true\n"
        "  external_tls: true\n"
        f"  domain: {others.host}\n"
        f"  bind_addresses: [{LOOPBACK}]\n"
        f"  tls_port: {ports.turn}\n"
        "  udp_port: 0\n"
        f"  allow_restricted_peer_cidrs: [{own}]\n"
        f"  deny_peer_cidrs: {nobody}\n"
    )


def how_to_reach(layout: Layout, options: Mapping[str, str], keys: Mapping[str, str], *, show: bool) -> str:
    """Lines for people.

    Args:
        options: What the stack was started with.
        show: The password is shown: whoever reads this sits here. In a log it would stay.
    """
    host, tls = options["--host"], int(options["AURA_TLS_PORT"])
    lines = [f"  from other devices: https://{host}{_port(tls, HTTPS)}/"]
    if "--password" in options:
        where = f"in {layout.env_file} ({PASSWORD})"
        told = f"the password is {keys[PASSWORD]}, and stands {where}" if show else f"the password is {where}"
        lines.append(f"    {told}")
    if not options.keys() & {"--cert", "--acme"}:
        lines += [
            f"    a device that does not trust it yet: http://{host}{_port(int(options['AURA_TRUST_PORT']), HTTP)}/",
            f"    its root's SHA-256 is {(_folder(layout) / 'root.sha256').read_text().strip()}",
        ]
    if tls != HTTPS or "--listen" in options:
        why = "behind NAT" if tls == HTTPS else f"unless the page's port is {HTTPS}"
        udp, tcp = options["AURA_LIVEKIT_UDP_PORT"], options["AURA_LIVEKIT_TCP_PORT"]
        lines.append(f"    media need UDP port {udp} or TCP port {tcp}: there is no TURN {why}")
    return "\n".join(lines)


def _folder(layout: Layout) -> Path:
    """Of the local authority."""
    return layout.run / "tls"


def _port(port: int, usual: int) -> str:
    return "" if port == usual else f":{port}"
