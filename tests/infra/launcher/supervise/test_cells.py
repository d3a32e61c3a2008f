"""A stack that is one of several: a cell that joins, a Redis between LiveKit servers, calls that may go on."""

from pathlib import Path

import pytest
import yaml

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import CellOptions, LauncherSettings
from infra.launcher.cli.arguments import read_settings
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.ports import choose_ports
from infra.launcher.supervise.services import RAY, addresses, stack_services, write_livekit_settings

ROOT = Path(__file__).resolve().parents[4]
PORTS = choose_ports({})
LIVEKIT = "wss://livekit.example.org"


def asked(home: Path, *options: str, **environ: str) -> LauncherSettings:
    return read_settings(ROOT, ["up", *options], {"AURA_HOME": str(home), **environ})


def test_a_cell_that_joins_is_a_pipeline_and_an_agent(tmp_path: Path) -> None:
    keys = installation_keys(tmp_path / "env")
    settings = asked(tmp_path, "--join", LIVEKIT, AURA_PIPELINE_HOST="192.0.2.7", AURA_AGENT_DRAIN_S="3600")
    assert (settings.join, settings.asked["--join"]) == (LIVEKIT, LIVEKIT)
    parts = stack_services(
        Layout(ROOT, tmp_path, tmp_path), PORTS, keys, 2, phone=None, cell=settings.cell, join=settings.join
    )
    assert [part.name for part in parts] == ["pipeline", "agent"]
    pipeline, agent = parts
    where = f"http://192.0.2.7:{PORTS.pipeline}"
    assert pipeline.argv[pipeline.argv.index("--host") + 1] == "192.0.2.7"
    assert pipeline.health == f"{where}/ready"
    assert (agent.env["LIVEKIT_URL"], agent.env["AURA_PIPELINE_URL"]) == (LIVEKIT, where)
    assert agent.env["LIVEKIT_API_SECRET"] == keys["LIVEKIT_API_SECRET"]
    assert agent.stop_s > 3_600, "it is killed no sooner than its calls may go on"


def test_a_cell_without_the_keys_of_what_it_joins_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match=f"copy it from the installation .*|{tmp_path}/env"):
        asked(tmp_path, "--join", LIVEKIT)
    installation_keys(tmp_path / "env")
    for url in ("ws://[::1", "ws://host:80a", "ws://host:99999", "ws://"):
        with pytest.raises(BadUsage, match="the URL of a LiveKit server begins with ws:// or wss://"):
            asked(tmp_path, "--join", url)
    with pytest.raises(BadUsage, match="--join is `http://x`; the URL of a LiveKit server begins with ws:// or wss://"):
        asked(tmp_path, "--join", "http://x")
    with pytest.raises(BadUsage, match="--join goes with no --phone"):
        asked(tmp_path, "--join", LIVEKIT, "--phone")
    with pytest.raises(BadUsage, match="--join goes with no --host"):
        asked(tmp_path, "--join", LIVEKIT, "--host", "127.0.0.1", "--password")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AURA_PIPELINE_HOST", "0.0.0.0"),
        ("AURA_PIPELINE_HOST", "gpu-host"),
        ("AURA_AGENT_DRAIN_S", "an hour"),
        ("AURA_LIVEKIT_REDIS", "redis.example.org"),
        ("AURA_LIVEKIT_REDIS", ":6379"),
    ],
)
def test_a_variable_that_makes_no_sense_is_named(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(BadUsage, match=f"{variable} is `{value}`"):
        asked(tmp_path, **{variable: value})


def test_livekit_servers_share_a_redis_that_is_named(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env")
    cell = asked(tmp_path, AURA_LIVEKIT_REDIS="redis.example.org:6379", AURA_LIVEKIT_REDIS_PASSWORD='a"b: #c').cell
    write_livekit_settings(layout, PORTS, keys, phone=False, cell=cell)
    written = yaml.safe_load((tmp_path / "livekit.yaml").read_text())
    assert written["redis"] == {"address": "redis.example.org:6379", "password": 'a"b: #c'}
    assert (tmp_path / "livekit.yaml").stat().st_mode & 0o077 == 0
    write_livekit_settings(layout, PORTS, keys, phone=False)
    assert "redis" not in yaml.safe_load((tmp_path / "livekit.yaml").read_text())
    with pytest.raises(BadUsage, match="no --phone"):
        asked(tmp_path, "--phone", AURA_LIVEKIT_REDIS="redis.example.org:6379")


def test_a_stack_that_is_alone_stays_on_loopback_and_ends_at_once(tmp_path: Path) -> None:
    settings = asked(tmp_path)
    assert (settings.cell, settings.join) == (CellOptions(), "")
    assert addresses(PORTS).pipeline_url == addresses(PORTS, settings.cell.host).pipeline_url
    assert addresses(PORTS, "2001:db8::1").pipeline_url == f"http://[2001:db8::1]:{PORTS.pipeline}"


def test_on_a_ray_cluster_serve_listens_and_its_cells_are_told_the_rest(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env")
    cell = asked(tmp_path, "--ray", "192.0.2.9:6379", "--max-sessions", "4").cell
    parts = {part.name: part for part in stack_services(layout, PORTS, keys, 4, phone=None, cell=cell)}
    argv = list(parts["pipeline"].argv)
    serves, starts = argv[: argv.index("--")], argv[argv.index("--") + 1 :]
    assert serves[:4] == [str(tmp_path / "ray" / "bin" / "python"), "-c", RAY, str(ROOT)]
    assert "PYTHONPATH" not in parts["pipeline"].env
    assert serves[serves.index("--port") + 1] == str(PORTS.pipeline) and "--port" not in starts
    assert serves[serves.index("--places") + 1] == starts[starts.index("--max-sessions") + 1] == "4"
    assert Path(starts[0]).name == "aura-pipeline"
    assert keys["AURA_PIPELINE_KEY"] not in " ".join(argv)
    with pytest.raises(BadUsage, match="--ray needs --max-sessions N"):
        asked(tmp_path, "--ray", "192.0.2.9:6379")
