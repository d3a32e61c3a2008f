"""A model is on the store exactly if all of its files are, each with the manifest's digest."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from infra.launcher.base.errors import Offline
from infra.models.manifest import Model
from infra.models.model_store import FetchEvents, ModelStore
from infra.models.source import Unavailable
from tests.infra.models.small_models import Memory, small_model

pytestmark = pytest.mark.anyio

FILES = {"model.bin": b"weights", "config.json": b"{}"}
MODEL = small_model("big", FILES, fallback="small")
SMALL = small_model("small", {"model.bin": b"w"})
KNOWN = {"big": MODEL, "small": SMALL}


async def fill(store: ModelStore, source: Memory, wanted: Sequence[Model] = (MODEL,)) -> tuple[list[float], list[str]]:
    shares: list[float] = []
    notices: list[str] = []
    report = FetchEvents(lambda done, total: shares.append(done / total), notices.append)
    await store.fill(wanted, KNOWN, source, report)
    return shares, notices


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


async def test_a_model_is_fetched_whole_and_once(tmp_path: Path) -> None:
    store, source = ModelStore(tmp_path), Memory({"big": FILES})
    shares, notices = await fill(store, source)
    assert contents(tmp_path / "big") == FILES
    assert (shares, notices) == ([1.0, 1.0], [])
    assert store.lacks([MODEL]) == []
    await fill(store, source)
    assert source.asked == ["big/model.bin", "big/config.json"]


@pytest.mark.parametrize("file", FILES)
async def test_a_wrong_digest_is_refused_and_the_fallback_is_told(tmp_path: Path, file: str) -> None:
    source = Memory({"big": FILES | {file: bytes(len(FILES[file]))}, "small": {"model.bin": b"w"}})
    _, notices = await fill(ModelStore(tmp_path), source)
    assert not (tmp_path / "big").exists()
    assert contents(tmp_path / "small") == {"model.bin": b"w"}
    assert notices == [
        f"big: refused, for the digest of {file} is not the manifest's\n"
        "  small takes its place, which is worse; run this again to retry"
    ]


async def test_without_a_fallback_a_model_that_cannot_be_had_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="small: gone"):
        await fill(ModelStore(tmp_path), Memory({}), [SMALL])


async def test_without_network_the_fallback_on_the_shelf_serves(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    with pytest.raises(Offline):
        await fill(store, Memory({}, Offline("no network")))
    await fill(store, Memory({"small": {"model.bin": b"w"}}), [SMALL])
    _, notices = await fill(store, Memory({}, Offline("no network")))
    assert notices[0].startswith("no network\n  small takes its place")


async def test_what_is_there_and_right_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "model.bin").write_bytes(FILES["model.bin"])
    (tmp_path / "big" / "config.json").write_bytes(b"[]")
    source = Memory({"big": FILES})
    await fill(ModelStore(tmp_path), source)
    assert source.asked == ["big/config.json"]
    assert contents(tmp_path / "big") == FILES


async def test_a_folder_that_someone_else_filled_is_verified_and_kept(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    for name, content in FILES.items():
        (tmp_path / "big" / name).write_bytes(content)
    source = Memory({})
    await fill(ModelStore(tmp_path), source)
    assert source.asked == []
    assert ModelStore(tmp_path).lacks([MODEL]) == []


async def test_a_file_that_changes_later_is_noticed_and_put_right(tmp_path: Path) -> None:
    store, source = ModelStore(tmp_path), Memory({"big": FILES})
    await fill(store, source)
    weights = tmp_path / "big" / "model.bin"
    weights.write_bytes(b"weighty")
    os.utime(weights, (1, 1))
    assert store.lacks([MODEL]) == [MODEL]
    await fill(store, source)
    assert contents(tmp_path / "big") == FILES


async def test_a_model_that_can_be_done_without_is_not_missed_and_what_is_lost_is_told(tmp_path: Path) -> None:
    eyes = structs.replace(small_model("eyes", {"model.bin": b"e"}), without="it cannot see")
    store, source = ModelStore(tmp_path), Memory({"small": {"model.bin": b"w"}})
    _, notices = await fill(store, source, [eyes, SMALL])
    assert notices == ["eyes: gone\n  without eyes it cannot see; run this again to retry"]
    assert contents(tmp_path / "small") == {"model.bin": b"w"}
    assert store.lacks([eyes, SMALL]) == [eyes], "the next start tries again"
