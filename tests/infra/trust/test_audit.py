"""An audit that could not be made is never taken for one that has found nothing."""

import json
import os
from pathlib import Path

import pytest

from infra.trust.audit import audit
from infra.trust.toolbox import Toolbox

CLEAN = {
    "pip-audit": json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}),
    "npm": json.dumps({"vulnerabilities": {}, "metadata": {"dependencies": {"total": 2}}}),
    "govulncheck": json.dumps({"SBOM": {"modules": [{}]}}),
}


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def findings(folder: Path, script: str) -> list[str]:
    """What an audit says whose tools all run a script, after `$answer` was set to what they would say."""
    root, home = folder / "root", folder / "home"
    pins = root / "infra" / "requirements" / "audit.txt"
    for path in (pins, home / "audit" / "pins.txt", home / "bin" / "livekit-server", home / "bin" / "livekit-sip"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (root / "frontend").mkdir()
    tools = home / "audit" / "bin" / "pip-audit", folder / "path" / "npm", home / "audit" / "go" / "govulncheck"
    for tool in tools:
        write_program(tool, f"answer='{CLEAN[tool.name]}'\n{script}")
    environ = {"PATH": f"{folder / 'path'}:{os.environ['PATH']}"}
    return [str(finding) for finding in audit(Toolbox(root, home, environ, longest_s=0.5))]


def test_all_are_asked_that_are_in_this_home(tmp_path: Path) -> None:
    assert all("nothing is known against" in finding for finding in findings(tmp_path, "echo $answer"))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo $answer | head -c 20; kill -9 $$", "it ended with code -9"),
        ("exit 3", "it ended with code 3"),
        ("true", "its tool says nothing that can be read"),
        ("exec sleep 60", "was not done within 0.5 s"),
    ],
)
def test_a_tool_that_breaks_off_is_told(tmp_path: Path, script: str, why: str) -> None:
    told = findings(tmp_path, script)
    assert all("NOT ASKED" in finding and why in finding for finding in told), told
