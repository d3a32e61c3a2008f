"""Calls from another device: by page, with nothing between or only TCP to port 443; by phone over TLS, with SRTP."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.web.outside.certificates import LocalCertificate, local_certificate
from infra.bench.base.speech import PersonVoice
from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file
from tests.e2e.exchange import need_the_bridge
from tests.e2e.phoned import CARRIER_PORT, G711_20_MS, SRTP_TAG, Phoned, in_the_clear, phoned_from
from tests.e2e.phones import House
from tests.e2e.stack import POLL_S, ROOT, START_S
from tests.e2e.two_networks import ANOTHER, CALLER, ONLY_443, OPEN, SERVER, TwoNetworks, two_networks
from tests.e2e.wire_tap import TCP, bits_per_byte, wire_tap
from tests.worked_example import worked_example

pytestmark = pytest.mark.anyio

URL = f"https://{SERVER}/"
CALL_S, SOON_S = 150.0, 30.0


@dataclass(frozen=True, slots=True)
class Outside:
    """A stack in one of the two networks.

    Attributes:
        said: What `infra/up` has printed.
    """

    networks: TwoNetworks
    layout: Layout
    running: Running
    keys: Mapping[str, str]
    said: str


@pytest.fixture(scope="module")
def networks() -> Iterator[TwoNetworks]:
    with two_networks() as both:
        yield both


@pytest.fixture(scope="module")
def carriers(tmp_path_factory: pytest.TempPathFactory) -> LocalCertificate:
    """What the carrier shows, and who vouches for it."""
    return local_certificate(tmp_path_factory.mktemp("carrier"), [CALLER], datetime.now(UTC))  # noqa: TID251 - of a certificate


@pytest.fixture
def phoned(outside: Outside, carriers: LocalCertificate, environ: Mapping[str, str], tmp_path: Path) -> Phoned:
    """Telephones in the caller's network."""
    need_the_bridge(Path(environ["AURA_HOME"]))
    return phoned_from(outside.networks, outside.keys, outside.layout.run / "tls", carriers, tmp_path)


@pytest.fixture(scope="module")
async def outside(
    networks: TwoNetworks,
    carriers: LocalCertificate,
    environ: Mapping[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Outside]:
    run = tmp_path_factory.mktemp("outside")
    site = worked_example(tmp_path_factory.mktemp("example"))
    layout = Layout(ROOT, Path(environ["AURA_HOME"]), run)
    told = {**environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site))), "AURA_AGENT_IDLE_PROCESSES": "1"}
    asked = ["--detach", "--profile", "parrot", "--host", SERVER, "--password"]
    asked += ["--phone"] * layout.program("livekit-sip").exists()
    told["AURA_SIP_CARRIER_ROOT"] = str(carriers.root)
    said = await inside(networks, networks.server, told, str(ROOT / "infra/up"), "--run-dir", str(run), *asked)
    try:
        running = read_run_file(layout.run_file)
        assert running
        yield Outside(networks, layout, running, installation_keys(layout.env_file), said)
    finally:
        await inside(networks, networks.server, told, str(ROOT / "infra/down"), "--run-dir", str(run))


async def inside(
    networks: TwoNetworks,
    network: str,
    environ: Mapping[str, str],
    *argv: str,
    within_s: float = START_S,
    code: int = 0,
) -> str:
    """What a command says in that network; and of its errors, if it is to end with another code than 0.

    Raises:
        AssertionError: It ended with another code, or not in time.
    """
    command = networks.inside(network, *argv)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=dict(environ), stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(within_s):
            output, errors = await process.communicate()
    except TimeoutError:
        process.terminate()
        output, errors = await process.communicate()
    assert process.returncode == code, f"{argv[0]} ended with {process.returncode}:\n{(output + errors).decode()}"
    return (output if code == 0 else output + errors).decode()


async def curl(outside: Outside, *argv: str) -> str:
    """What a program in the caller's network is answered, or the code with which it ends."""
    command = outside.networks.inside(outside.networks.caller, "curl", "-sS", "-m", "5", *argv)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    output, errors = await process.communicate()
    return output.decode() if process.returncode == 0 else f"curl ended with {process.returncode}: {errors.decode()}"


@pytest.mark.parametrize(
    ("rules", "through"),
    [
        pytest.param(OPEN, "udp", id="nothing-between"),
        pytest.param(ONLY_443, "turn/tls", id="only-tcp-443"),
    ],
)
async def test_a_caller_on_another_device_is_answered(
    rules: str, through: str, outside: Outside, environ: Mapping[str, str], tmp_path: Path
) -> None:
    trusts(tmp_path, outside.layout.run / "tls" / "root.pem")
    told = {**environ, "HOME": str(tmp_path)}
    script = (sys.executable, "-m", "tests.e2e.caller_outside", str(tmp_path), URL, outside.keys["AURA_WEB_PASSWORD"])
    with outside.networks.gate(rules):
        said = await inside(outside.networks, outside.networks.caller, told, *script, within_s=CALL_S)
    met: dict[str, Any] = json.loads(said)
    assert met["secure"] and "not it" in met["told"]
    assert {way["through"] for way in met["ways"]} == {through}, met


async def test_who_calls_over_tls_with_srtp_is_answered_and_the_wire_tells_nothing(
    outside: Outside, phoned: Phoned, house: House, voice: PersonVoice
) -> None:
    uri = outside.keys["AURA_SIP_URI"]
    assert uri.startswith(f"sip:100@{SERVER}:") and uri.endswith(";transport=tls")
    assert f"dial {uri}, over TLS and with SRTP" in outside.said
    async with wire_tap(phoned.inside, house.folder / "wire") as wire:
        call = await house.call(phoned.line("15550102100"), uri)
        await call.hears(await call.answered(), SOON_S, "the greeting")
        asked = await call.says(voice.say("What is the capital of France?"))
        await call.hears(asked, SOON_S, "the answer")
        call.hangs_up()
        await call.hung_up(SOON_S)
    for source in (CALLER, SERVER):
        sounds = wire.sounds(source)
        spoken = [sound for sound in sounds if len(sound) > G711_20_MS // 2]  # shorter ones only keep the way open
        assert len(spoken) > 100 and {len(sound) for sound in spoken} == {G711_20_MS + SRTP_TAG}
        assert bits_per_byte(b"".join(sounds)) > 7.9
    assert bits_per_byte(in_the_clear(next(house.folder.glob("*/tape.wav")))) < 7, (
        "of the sound itself it would be less"
    )
    signals = b"".join(packet.payload for packet in wire.packets() if packet.protocol == TCP)
    assert len(signals) > 2_000 and b"SIP/2.0" not in signals and b"100@" not in signals


async def test_who_does_not_trust_the_root_or_has_another_name_for_the_bridge_does_not_call(
    outside: Outside, phoned: Phoned, house: House
) -> None:
    uri = outside.keys["AURA_SIP_URI"]
    stranger = await house.call(phoned.line("15550102101", roots=phoned.others_root), uri)
    with phoned.known_as(ANOTHER):
        misled = await house.call(phoned.line("15550102102"), uri.replace(SERVER, ANOTHER))
        for call in (stranger, misled):
            await call.hung_up(SOON_S)
            assert call.answered_at is None and "PJSIP_TLS_ECERTVERIF" in str(call.diary)


async def test_who_sends_sound_or_signals_in_the_clear_is_refused(
    outside: Outside, phoned: Phoned, house: House
) -> None:
    sound = await house.call(phoned.line("15550102103", srtp=False), outside.keys["AURA_SIP_URI"])
    plain = f"sip:100@{SERVER}:{outside.running.options['AURA_SIP_PORT']}"
    signals = await house.call(phoned.line("15550102104", roots=""), plain)
    for call, status in ((sound, 400), (signals, 486)):
        await call.hung_up(SOON_S)
        assert (call.answered_at, call.status) == (None, status)
    async with asyncio.timeout(SOON_S):  # it is noted when the bridge has answered already
        while "reason=it did not come over TLS" not in (outside.layout.logs / "agent.log").read_text():
            await asyncio.sleep(POLL_S)


async def test_somebody_is_rung_up_over_tls_with_srtp(
    outside: Outside, phoned: Phoned, house: House, environ: Mapping[str, str]
) -> None:
    async with wire_tap(phoned.inside, house.folder / "wire") as wire:
        call = await house.telephone(phoned.carrier("15550102900"))
        told = {**environ, "AURA_RUN_DIR": str(outside.layout.run), "AURA_SIP_CALLER_ID": "15550102999"}
        told["AURA_SIP_CARRIER"] = f"{CALLER}:{CARRIER_PORT};transport=tls"
        await inside(outside.networks, outside.networks.server, told, str(ROOT / "infra/sip/call"), "15550102800")
        await call.hears(await call.answered(), SOON_S, "the greeting")
        call.hangs_up()
        await call.hung_up(SOON_S)
    assert call.caller == "15550102999"
    assert {len(sound) for sound in wire.sounds(SERVER)} == {G711_20_MS + SRTP_TAG}


async def test_a_carrier_that_somebody_else_vouches_for_is_not_rung_up_and_it_is_said_why(
    outside: Outside, phoned: Phoned, house: House, environ: Mapping[str, str], tmp_path: Path
) -> None:
    other = local_certificate(tmp_path / "other", [CALLER], datetime.now(UTC))  # noqa: TID251 - of a certificate
    call = await house.telephone(phoned.carrier("15550102901", other))
    told = {**environ, "AURA_RUN_DIR": str(outside.layout.run), "AURA_SIP_CALLER_ID": "15550102999"}
    carrier = told["AURA_SIP_CARRIER"] = f"{CALLER}:{CARRIER_PORT};transport=tls"
    networks, dials = outside.networks, (str(ROOT / "infra/sip/call"), "15550102801")
    said = await inside(networks, networks.server, told, *dials, code=1)
    root = outside.running.options["AURA_SIP_CARRIER_ROOT"]
    assert f"the certificate that {carrier.partition(';')[0]} shows is not vouched for by {root}" in said
    assert call.answered_at is None and not call.caller


async def test_who_calls_after_the_bridge_has_died_is_answered(
    outside: Outside, phoned: Phoned, house: House, environ: Mapping[str, str]
) -> None:
    died = outside.running.parts["livekit-sip"]
    os.kill(died.pid, signal.SIGKILL)
    async with asyncio.timeout(START_S):
        while not (now := read_run_file(outside.layout.run_file)) or now.parts["livekit-sip"].pid == died.pid:
            await asyncio.sleep(POLL_S)
    listening = ("curl", "-fsS", "--retry", "30", "--retry-delay", "1", "--retry-connrefused", died.health)
    await inside(outside.networks, outside.networks.server, environ, *listening)
    call = await house.call(phoned.line("15550102105"), outside.keys["AURA_SIP_URI"])
    await call.hears(await call.answered(), SOON_S, "the greeting")
    call.hangs_up()
    await call.hung_up(SOON_S)


async def test_nothing_secret_stands_in_a_log_or_a_list_of_processes(outside: Outside) -> None:
    """After the calls above; programs of these networks are seen from here."""
    secrets = [value for name, value in outside.keys.items() if name.endswith(("_SECRET", "_KEY", "_PASSWORD"))]
    names = ("LIVEKIT_API_SECRET", "AURA_PIPELINE_KEY", "AURA_WEB_PASSWORD")
    assert all(outside.keys[name] in secrets for name in names)
    secrets.remove(outside.keys["LIVEKIT_API_KEY"])  # names the pair, as a user name does
    texts = {str(path): path.read_text(errors="replace") for path in outside.layout.logs.rglob("*.log")}
    texts["infra/up"] = outside.said
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            texts[str(path)] = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    assert any("aura-agent web" in text for text in texts.values()), "the stack is not seen"
    assert {where for where, text in texts.items() for secret in secrets if secret in text} == set()
    for told in ("access_token=ey", "inline:", "5550102"):  # of a grant; of SRTP; of who has called, or was rung up
        assert {where for where, text in texts.items() if told in text} == set(), told


async def test_a_stranger_is_asked_and_a_device_that_does_not_trust_the_root_is_not_served(outside: Outside) -> None:
    code = "%{http_code}"
    root = outside.layout.run / "tls" / "root.pem"
    seen = await curl(outside, "--cacert", str(root), "-o", "/dev/null", "-w", code, "-X", "POST", f"{URL}api/token")
    assert seen == "401"
    assert "curl ended with 60" in await curl(outside, URL), "a device that does not trust the root is not served"


def trusts(home: Path, root: Path) -> None:
    """A browser with that home trusts the root."""
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    for argv in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "aura", "-i", str(root)]):
        subprocess.run(["certutil", "-d", f"sql:{store}", *argv], check=True, capture_output=True)
