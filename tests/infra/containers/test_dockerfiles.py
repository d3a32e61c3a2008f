"""What every image is: linted, of a base that a digest names, run by somebody who is not root."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.infra.containers.tools import CONTAINERS, ROOT, program

FILES = sorted(CONTAINERS.glob("*.Dockerfile"))


def test_there_is_one_a_part() -> None:
    assert {file.stem for file in FILES} == {"agent", "models", "pipeline", "pipeline-gpu", "web"}


def test_hadolint_finds_nothing(tmp_path: Path) -> None:
    hadolint = program("hadolint")
    done = subprocess.run(
        [hadolint, "--failure-threshold", "style", *FILES], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd / && sudo ls\n")
    bad = subprocess.run([hadolint, tmp_path / "Dockerfile"], capture_output=True, text=True, check=False)
    assert bad.returncode and "DL3006" in bad.stdout, "it would find something"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_image_is_run_by_nobody_special_from_a_base_that_is_said_at_build(file: Path) -> None:
    text = file.read_text()
    last = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert last.index("USER ") < last.index("ENTRYPOINT")
    bases = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert set(bases) <= {"${PYTHON_IMAGE}", "${NODE_IMAGE}"}
    assert not re.search(r"^ARG \w+_IMAGE=", text, re.MULTILINE), "no base without its digest"
    assert "HEALTHCHECK" in last
    for install in re.findall(r"pip install ([^&\n]*)", text):
        assert "--require-hashes" in install or "dist/*.whl" in install, install


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_an_image_is_built_from_is_there(file: Path) -> None:
    copied = re.findall(r"^COPY (?!--from)(.+)$", file.read_text(), re.MULTILINE)
    sources = [source for line in copied for source in line.split()[:-1]]
    assert sources and all((ROOT / source).exists() for source in sources)
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    assert not set(sources) & set(ignored)
