"""What `infra/up --host` may be told, and how what makes no sense is refused."""

from pathlib import Path

import pytest

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.settings import ForOthers
from infra.launcher.cli.arguments import read_settings

ROOT = Path("/checkout")


def others(*asked: str, **environ: str) -> ForOthers | None:
    return read_settings(ROOT, ["up", *asked], environ).for_others


def test_only_this_machine_is_served_unless_a_host_is_named() -> None:
    assert others() is None


def test_without_a_check_nobody_is_let_in() -> None:
    with pytest.raises(BadUsage, match="nobody would be asked who they are: add --password"):
        others("--host", "192.0.2.7")


@pytest.mark.parametrize("environ", [{"AURA_WEB_PASSWORD": "x" * 10}, {"AURA_OIDC_ISSUER": "https://id.example"}])
def test_a_check_of_ones_own_is_enough(environ: dict[str, str]) -> None:
    assert others("--host", "192.0.2.7", **environ) == ForOthers("192.0.2.7", "192.0.2.7", "192.0.2.7")
    with pytest.raises(BadUsage, match=f"--password and {next(iter(environ))} both say who may call"):
        others("--host", "192.0.2.7", "--password", **environ)


def test_a_name_is_looked_up_and_behind_nat_another_address_listens() -> None:
    given = others("--host", "192.0.2.7", "--password", "--listen", "10.0.0.4")
    assert given == ForOthers("192.0.2.7", "192.0.2.7", "10.0.0.4", password=True)
    assert given.options() == {"--host": "192.0.2.7", "--listen": "10.0.0.4", "--password": ""}


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (("--host", "aura.invalid"), "--host: the name `aura.invalid` resolves to no IPv4 address"),
        (("--host", "0.0.0.0"), "--host is 0.0.0.0, which stands for all addresses"),
        (("--host", "https://aura.lan"), "--host is `https://aura.lan`, which is neither an IPv4 address nor a name"),
        (("--host", "laptop"), "nor a name with a dot in it"),
        (("--host", "192.0.2.7", "--listen", "here"), "--listen is `here`, which is no IPv4 address"),
        (("--host", "192.0.2.7", "--cert", "/no/file"), "--cert and --key belong together"),
        (("--host", "192.0.2.7", "--cert", "/no/file", "--key", "/no"), "--cert: /no/file is no file"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(asked: tuple[str, ...], fault: str) -> None:
    with pytest.raises(BadUsage, match=fault):
        others(*asked, "--password")


def test_what_belongs_to_a_host_is_refused_without_one() -> None:
    with pytest.raises(BadUsage, match="--password: for --host"):
        others("--password")


def test_stun_servers_are_told_only_if_they_are_asked_for() -> None:
    assert (given := others("--host", "192.0.2.7", "--password")) and given.stun == ()
    given = others("--host", "192.0.2.7", "--password", AURA_LIVEKIT_STUN="stun.example.org:3478, b:1")
    assert given and given.stun == ("stun.example.org:3478", "b:1")
    assert given.options()["AURA_LIVEKIT_STUN"] == "stun.example.org:3478,b:1"
    with pytest.raises(BadUsage, match=r"AURA_LIVEKIT_STUN names `stun\.example\.org`, which is not HOST:PORT"):
        others("--host", "192.0.2.7", "--password", AURA_LIVEKIT_STUN="stun.example.org")


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (("--host", "localhost.localdomain", "--acme", "me"), "--acme is `me`, which is no address of mail"),
        (("--host", "192.0.2.7", "--acme", "me@example.org"), r"--acme needs a name, and --host is 192\.0\.2\.7"),
        (("--host", "192.0.2.7", "--acme", "m@a.b", "--cert", __file__, "--key", __file__), "one of them is enough"),
    ],
)
def test_acme_is_for_a_name_and_somebody_who_can_be_told(asked: tuple[str, ...], fault: str) -> None:
    with pytest.raises(BadUsage, match=fault):
        others(*asked, "--password")
