"""`infra/up --profile vllm --hub` fetches whole checkpoints by the real huggingface_hub, from a hub on loopback."""

import asyncio
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from infra.launcher.base.errors import CommandFailed, Missing, Offline
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import OnGpus
from infra.launcher.setup.checkpoints import fetch_checkpoints, fetch_of_package
from infra.launcher.setup.gpu_deployment import HUB_NAMES, LARGE
from infra.launcher.setup.setup_context import SetupContext
from infra.models.download_progress import download_progress
from pipeline.runtime.profiles import DEPLOY
from tests.infra.models.tiny_hub import TinyHub, serving
from tests.pipeline.registry.packages import install

pytestmark = pytest.mark.anyio
CHUNK = 10 << 20  # huggingface_hub writes so many bytes at a time
SMALL = {
    "config.json": b"{}",
    "model.safetensors": b"weights",
    "speech_tokenizer/model.safetensors": b"codec",
    "merges.txt": b"a b",
}
TWO_FILES = {"model-1.safetensors": b"weights", "model-2.safetensors": bytes(range(256)) * (CHUNK // 256 + 8192)}
GATED = 401, {"X-Error-Code": "GatedRepo"}
BAD_TOKEN = 401, {"X-Error-Message": "Invalid username or password."}
NOT_WANTED = {"README.md": b"read me", "pytorch_model.bin": b"pickle", "modeling.py": b"code", "old.pt": b"pickle"}


@pytest.fixture
def hub() -> Iterator[TinyHub]:
    with serving(TinyHub(dict.fromkeys(HUB_NAMES.values(), SMALL))) as hub:
        yield hub


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def on_gpus(models: Path) -> OnGpus:
    return OnGpus(models, DEPLOY / "aura_80gb.yaml")


@pytest.fixture
def setup(layout: Layout, display: Display, hub: TinyHub, tmp_path: Path) -> SetupContext:
    """With a venv for GPUs that is this one."""
    python = layout.gpu_venv / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    environ = {"PATH": os.environ["PATH"], "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "hf")}
    return SetupContext(layout, environ, display)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_all_that_lacks_is_fetched_and_nothing_that_is_there_or_could_be_run(
    setup: SetupContext, screen: io.StringIO, hub: TinyHub, models: Path, on_gpus: OnGpus
) -> None:
    hub.repos["aurateam/AURA"] = {**SMALL, **NOT_WANTED}
    (models / LARGE[0]).mkdir(parents=True)
    await fetch_checkpoints(setup, on_gpus)
    assert sorted(path.name for path in models.iterdir()) == sorted(LARGE)
    assert [files_of(models / folder) for folder in LARGE] == [{}, SMALL, SMALL]
    assert [line.split()[:2] for line in screen.getvalue().splitlines() if "done" in line] == [
        ["AURA", "done"],
        [LARGE[2], "done"],
    ]
    hub.asked.clear()
    await fetch_checkpoints(setup, on_gpus)
    assert not hub.asked


async def test_a_download_that_was_stopped_keeps_the_files_that_are_whole(
    setup: SetupContext, screen: io.StringIO, hub: TinyHub, models: Path, on_gpus: OnGpus
) -> None:
    hub.repos["aurateam/AURA"], hub.stall_at = TWO_FILES, CHUNK + 4096
    known = models / "AURA.part" / ".cache" / "huggingface" / "download" / "model-1.safetensors.metadata"
    for there in (LARGE[0], LARGE[2]):
        (models / there).mkdir(parents=True)
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        fetching = tasks.create_task(fetch_checkpoints(setup, on_gpus))
        while "of 13 MB" not in screen.getvalue() or not known.is_file():
            await asyncio.sleep(0.05)
        fetching.cancel()
    assert not (models / "AURA").exists()
    hub.stall_at = None
    hub.asked.clear()
    await fetch_checkpoints(setup, on_gpus)
    assert files_of(models / "AURA") == TWO_FILES
    assert [path.rpartition("/")[2] for path, _ in hub.asked if "/resolve/" in path] == ["model-2.safetensors"]
    assert not (models / "AURA.part").exists()


async def test_what_a_stopped_download_left_half_takes_no_room(
    setup: SetupContext, hub: TinyHub, models: Path, on_gpus: OnGpus
) -> None:
    half = models / "AURA.part" / ".cache" / "huggingface" / "download" / "x.0123.incomplete"
    half.parent.mkdir(parents=True)
    half.touch()
    hub.lists = False
    (models / LARGE[0]).mkdir()
    with pytest.raises(Missing):
        await fetch_checkpoints(setup, on_gpus)
    assert not half.exists()


async def test_a_connection_that_breaks_off_is_gone_on_with(
    setup: SetupContext, hub: TinyHub, models: Path, on_gpus: OnGpus
) -> None:
    hub.repos["aurateam/AURA"], hub.stall_at, hub.breaks = TWO_FILES, CHUNK + 4096, True
    await fetch_checkpoints(setup, on_gpus)
    assert files_of(models / "AURA") == TWO_FILES
    assert [begin for path, begin in hub.asked if path.endswith("model-2.safetensors")] == [None, f"bytes={CHUNK}-"]


async def test_what_an_interrupted_download_left_is_never_taken_for_whole(
    setup: SetupContext, hub: TinyHub, models: Path, on_gpus: OnGpus
) -> None:
    for there in (LARGE[0], LARGE[2]):
        (models / there).mkdir(parents=True)
    (models / "AURA.part").mkdir()
    (models / "AURA.part" / "config.json").write_bytes(b"{}")
    hub.lists = False
    with pytest.raises(
        Missing, match="AURA: the download of aurateam/AURA broke off; start again, files that are whole"
    ):
        await fetch_checkpoints(setup, on_gpus)
    away = replace(setup, environ={**setup.environ, "HF_HUB_OFFLINE": "1"})
    with pytest.raises(Offline):
        await fetch_checkpoints(away, on_gpus)
    assert not (models / "AURA").exists()


@pytest.mark.parametrize(
    ("files", "gated", "said"),
    [
        (None, None, "the hub has no aurateam/AURA, or shows it to some only: set HF_TOKEN, or HF_ENDPOINT"),
        (
            SMALL,
            (401, {"X-Error-Code": "GatedRepo"}),
            "the hub gives aurateam/AURA to those only who have agreed to its terms: do so, and set HF_TOKEN",
        ),
        (SMALL, BAD_TOKEN, "the hub does not know you: set HF_TOKEN to a token that may read aurateam/AURA"),
        (SMALL, (403, {}), "the hub forbids aurateam/AURA: set HF_TOKEN to a token that may read it"),
        (NOT_WANTED, None, r"aurateam/AURA of the hub has no \*.safetensors"),
    ],
)
async def test_a_repository_that_cannot_be_had_is_told_with_the_way_out(
    setup: SetupContext,
    hub: TinyHub,
    on_gpus: OnGpus,
    files: dict[str, bytes] | None,
    gated: tuple[int, dict[str, str]] | None,
    said: str,
) -> None:
    if files is None:
        del hub.repos["aurateam/AURA"]
    else:
        hub.repos["aurateam/AURA"] = files
    if gated:
        hub.gated["aurateam/AURA"] = gated
    log = setup.layout.setup_log("download-of-AURA")
    with pytest.raises(Missing, match=rf"^AURA: {said} \(see {log}\)$"):
        await fetch_checkpoints(setup, on_gpus)
    assert log.is_file()
    assert not (on_gpus.models / "AURA").exists()


async def test_without_a_network_the_hub_cannot_be_reached(setup: SetupContext, on_gpus: OnGpus) -> None:
    with serving(TinyHub()) as gone:
        pass
    setup = replace(setup, environ={**setup.environ, "HF_ENDPOINT": gone.endpoint})
    with pytest.raises(Offline, match=r"download of Qwen3-ASR-1.7B needs the network.*try again \(see "):
        await fetch_checkpoints(setup, on_gpus)


async def test_files_of_one_name_in_two_folders_both_count(tmp_path: Path) -> None:
    for file in ("model.safetensors", "speech_tokenizer/model.safetensors"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"12345")
    told: list[int] = []
    async with download_progress(tmp_path, told.append, copies=False):
        await asyncio.sleep(0)
    assert told == [10]


async def test_a_folder_that_takes_nothing_is_named(setup: SetupContext, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Missing, match=f"--model-dir: {tmp_path}/file/models takes no checkpoints: Not a directory"):
        await fetch_checkpoints(setup, OnGpus(tmp_path / "file" / "models", DEPLOY / "aura_80gb.yaml"))


def somebodys(tmp_path: Path, aura: str) -> Path:
    """The shipped deployment with another checkpoint."""
    mine = tmp_path / "mine.yaml"
    mine.write_text((DEPLOY / "aura_80gb.yaml").read_text().replace("model: AURA,", f"model: {aura},"))
    return mine


async def test_somebodys_own_deployment_may_name_repositories_of_the_hub(
    setup: SetupContext, hub: TinyHub, models: Path, tmp_path: Path
) -> None:
    hub.repos["me/my-aura.2"] = SMALL
    on_gpus = OnGpus(models, somebodys(tmp_path, "me/my-aura.2"))
    (models / LARGE[0]).mkdir(parents=True)
    await fetch_checkpoints(setup, on_gpus)
    assert [files_of(models / folder) for folder in (LARGE[0], "me/my-aura.2", LARGE[2])] == [{}, SMALL, SMALL]


@pytest.mark.parametrize("name", ["Other", "../AURA", "/models/AURA", "a/b/c"])
async def test_a_name_that_is_no_folder_and_no_repository_is_told_before_anything_is_fetched(
    setup: SetupContext, hub: TinyHub, models: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Missing, match=rf"--hub: {name} of mine.yaml is no folder in {models}, and none of"):
        await fetch_checkpoints(setup, OnGpus(models, somebodys(tmp_path, name)))
    assert not hub.asked


async def test_somebodys_own_deployment_that_is_wrong_is_told_with_its_fault(
    setup: SetupContext, models: Path, tmp_path: Path
) -> None:
    with pytest.raises(CommandFailed, match=r"mine.yaml: stage 1: .*model") as refused:
        await fetch_checkpoints(setup, OnGpus(models, somebodys(tmp_path, "[1]")))
    assert "Traceback" not in str(refused.value)


def with_package(setup: SetupContext, folder: Path, aura: str) -> SetupContext:
    """A profile `theirs` of a package on the path, whose own deployment is the shipped one with another checkpoint."""
    deployment = somebodys(folder, aura)
    source = (
        "from dataclasses import replace\nfrom pathlib import Path\nfrom pipeline.runtime.profiles import PROFILES\n"
        f"PROFILE = replace(PROFILES['vllm'], deployment=Path({str(deployment)!r}))\n"
    )
    install(folder, "theirs", source, aura_pipelines="theirs = theirs:PROFILE")
    return replace(setup, environ={**setup.environ, "PYTHONPATH": str(folder)})


async def test_the_checkpoints_of_a_packages_own_deployment_are_fetched(
    setup: SetupContext, hub: TinyHub, models: Path, tmp_path: Path
) -> None:
    hub.repos["me/my-aura.2"] = SMALL
    await fetch_checkpoints(with_package(setup, tmp_path, "me/my-aura.2"), OnGpus(models), "theirs")
    assert [files_of(models / folder) for folder in (LARGE[0], "me/my-aura.2", LARGE[2])] == [SMALL, SMALL, SMALL]


async def test_a_checkpoint_of_a_package_that_no_hub_is_known_to_have_is_told(
    setup: SetupContext, hub: TinyHub, models: Path, tmp_path: Path
) -> None:
    with pytest.raises(Missing, match=rf"--hub: Other of theirs is no folder in {models}, .* put it there, or write"):
        await fetch_checkpoints(with_package(setup, tmp_path, "Other"), OnGpus(models), "theirs")
    with pytest.raises(CommandFailed, match=r"there is no profile `ours` in .*: install its package there"):
        await fetch_checkpoints(setup, OnGpus(models), "ours")
    assert not hub.asked


async def test_a_package_that_runs_where_small_models_do_gets_what_the_hub_has_and_hears_of_the_rest(
    setup: SetupContext, screen: io.StringIO, hub: TinyHub, tmp_path: Path
) -> None:
    setup.layout.venv.symlink_to(setup.layout.gpu_venv)
    await fetch_of_package(with_package(setup, tmp_path, "Other"), "theirs")
    models = setup.layout.models
    assert [files_of(models / folder) for folder in (LARGE[0], LARGE[2])] == [SMALL, SMALL]
    assert f"--hub: Other of theirs is no folder in {models}" in screen.getvalue()
