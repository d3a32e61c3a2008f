"""Grafana's own description of dashboards loses nothing of ours, and they ask the source that is provisioned."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.infra.containers.tools import CONTAINERS, HOME
from tests.infra.observability.test_dashboards import FOLDER

BOARDS = sorted((FOLDER / "grafana" / "dashboards").glob("*.json"))
PROVISIONING = FOLDER / "grafana" / "provisioning"
THROUGH_GRAFANAS_TYPES = """
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
register_default_plugins()
print(JSONEncoder(sort_keys=True, indent=1).encode(Dashboard.from_json(json.load(sys.stdin))))
"""


def through_grafana(board: dict[str, Any]) -> dict[str, Any]:
    """What is left of a dashboard when Grafana's types have read it: they drop what they do not know."""
    types = HOME / "tools" / "checkers"
    if not (types / "grafana_foundation_sdk").is_dir():
        pytest.skip("Grafana's types are not here: infra/test brings them")
    environ = {**os.environ, "PYTHONPATH": str(types)}
    command = [sys.executable, "-c", THROUGH_GRAFANAS_TYPES]
    done = subprocess.run(command, input=json.dumps(board), env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def lost(ours: Any, theirs: Any, path: str = "$") -> Iterator[str]:
    """The paths of what is not there any more, or is something else."""
    match ours, theirs:
        case dict(), dict():
            for name, value in ours.items():
                yield from lost(value, theirs[name], f"{path}.{name}") if name in theirs else [f"{path}.{name}"]
        case list(), list() if len(ours) == len(theirs):
            for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
                yield from lost(one, other, f"{path}[{at}]")
        case _ if ours != theirs:
            yield path


@pytest.mark.parametrize("file", BOARDS, ids=lambda file: file.stem)
def test_grafana_knows_every_field_of_a_dashboard(file: Any) -> None:
    board = json.loads(file.read_text())
    assert list(lost(board, through_grafana(board))) == []
    board["panels"][0]["fieldConfig"]["defaults"]["unitt"] = "s"
    board["panels"][1]["targets"][0]["exprr"] = "up"
    assert list(lost(board, through_grafana(board))) == [
        "$.panels[0].fieldConfig.defaults.unitt",
        "$.panels[1].targets[0].exprr",
    ], "it would find something"


@pytest.mark.parametrize("file", BOARDS, ids=lambda file: file.stem)
def test_panels_ask_the_source_that_is_provisioned_and_no_two_lie_over_each_other(file: Any) -> None:
    panels = json.loads(file.read_text())["panels"]
    sources = yaml.safe_load((PROVISIONING / "datasources" / "prometheus.yml").read_text())["datasources"]
    assert {(panel["datasource"]["type"], panel["datasource"]["uid"]) for panel in panels} <= {
        (source["type"], source["uid"]) for source in sources
    }
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (place["x"] + x, place["y"] + y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["w"])
        for y in range(place["h"])
    ]
    assert len(set(cells)) == len(cells) and max(x for x, _ in cells) < 24


def test_grafana_finds_dashboards_and_provisioning_where_compose_puts_them() -> None:
    mounts = yaml.safe_load((CONTAINERS / "compose.yaml").read_text())["services"]["grafana"]["volumes"]
    places = {mount.split(":")[1]: (CONTAINERS / mount.split(":")[0]).resolve() for mount in mounts if ".." in mount}
    (provider,) = yaml.safe_load((PROVISIONING / "dashboards" / "aura.yml").read_text())["providers"]
    assert places[provider["options"]["path"]] == BOARDS[0].parent
    assert places["/etc/grafana/provisioning"] == PROVISIONING
