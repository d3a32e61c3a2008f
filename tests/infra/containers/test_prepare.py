"""`infra/containers/prepare`: keys that only this installation has, and images by the digests that Docker tells."""

import os
import stat
import subprocess
from pathlib import Path

from tests.infra.containers.tools import CONTAINERS

DIGEST = "sha256:" + "ab" * 32


def prepare(folder: Path, *arguments: str, says: str = f"echo {DIGEST}") -> subprocess.CompletedProcess[str]:
    """Runs it beside a `docker` that says what a registry would."""
    docker = folder / "bin" / "docker"
    docker.parent.mkdir(exist_ok=True)
    docker.write_text(f'#!/bin/sh\necho "$*" >> "{folder}/asked"\n{says}\n')
    docker.chmod(0o755)
    environ = {**os.environ, "PATH": f"{docker.parent}:{os.environ['PATH']}"}
    command = [str(CONTAINERS / "prepare"), "--file", str(folder / ".env"), *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def read(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / ".env").read_text().splitlines())


def test_keys_are_made_once_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    assert prepare(tmp_path).returncode == 0
    first = read(tmp_path)
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert len(first["LIVEKIT_API_SECRET"]) >= 32 and first["AURA_PIPELINE_KEY"] != first["LIVEKIT_API_SECRET"]
    assert prepare(tmp_path).returncode == 0
    assert read(tmp_path) == first
    other = tmp_path / "other"
    other.mkdir()
    prepare(other, "--secrets")
    assert not set(read(other).values()) & set(first.values()) - {"aura"}


def test_what_somebody_has_written_there_stays(tmp_path: Path) -> None:
    ours = ["# Telephones of the office.", "AURA_SIP_HOST=192.0.2.7", "", "REDIS_PASSWORD=of-our-own"]
    (tmp_path / ".env").write_text("\n".join(ours))
    assert prepare(tmp_path).returncode == 0
    lines = (tmp_path / ".env").read_text().splitlines()
    assert lines[: len(ours)] == ours and len([line for line in lines if line.startswith("REDIS_PASSWORD=")]) == 1
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600


def test_each_image_has_the_digest_that_its_tag_has_today(tmp_path: Path) -> None:
    prepare(tmp_path)
    images = {name: value for name, value in read(tmp_path).items() if name.endswith("_IMAGE")}
    assert len(images) == 7 and all(value.endswith(f"@{DIGEST}") for value in images.values())
    newer = "sha256:" + "cd" * 32
    prepare(tmp_path, says=f"echo {newer}")
    assert DIGEST in read(tmp_path)["PYTHON_IMAGE"], "what is pinned stays"
    prepare(tmp_path, "--images", says=f"echo {newer}")
    assert newer in read(tmp_path)["PYTHON_IMAGE"]


def test_no_digest_is_made_up(tmp_path: Path) -> None:
    done = prepare(tmp_path, says="echo no such host >&2; exit 1")
    assert done.returncode == 1
    assert done.stderr == "infra/containers/prepare: no digest of python:3.12-slim-trixie can be had: no such host\n"
    assert not any(name.endswith("_IMAGE") for name in read(tmp_path)) and "AURA_PIPELINE_KEY" in read(tmp_path)
    assert prepare(tmp_path, says="echo latest").returncode == 1


def test_only_keys_asks_nobody(tmp_path: Path) -> None:
    assert prepare(tmp_path, "--secrets").returncode == 0
    assert not (tmp_path / "asked").exists()
