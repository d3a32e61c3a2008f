"""Fetches the checkpoints that a deployment lacks from a model hub; `HF_ENDPOINT` names another hub."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.launcher.base.errors import CommandFailed, LauncherError, Missing, Offline
from infra.launcher.base.progress import ProgressStep
from infra.launcher.base.settings import VLLM, OnGpus
from infra.launcher.setup.gpu_deployment import HUB_NAMES, absent, need_of
from infra.launcher.setup.setup_context import SetupContext
from infra.models.download_progress import TOTAL, download_progress

HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")  # owner/name
PART = ".part"  # behind the name of a folder that is not whole yet
WHY = (  # what the hub's client says, the first that fits, and what a person can do
    ("GatedRepoError", "the hub gives {repo} to those only who have agreed to its terms: do so, and set HF_TOKEN"),
    ("403 Forbidden", "the hub forbids {repo}: set HF_TOKEN to a token that may read it"),
    ("RepositoryNotFoundError", "the hub has no {repo}, or shows it to some only: set HF_TOKEN, or HF_ENDPOINT"),
    ("401 Unauthorized", "the hub does not know you: set HF_TOKEN to a token that may read {repo}"),
    ("No space left on device", "the disk is full: make room, and start again; files that are whole are kept"),
    (" has no *.safetensors", "{repo} of the hub has no *.safetensors"),
)
OFFLINE = ("ConnectError", "ConnectTimeout", "ReadTimeout", "OfflineModeIsEnabled")


async def fetch_checkpoints(setup: SetupContext, on_gpus: OnGpus, profile: str = VLLM) -> None:
    """Each in its folder, which is there only when it is whole; the venv for GPUs has the hub's client.

    Raises:
        Missing, Offline: One cannot be had; says what to do.
        CommandFailed: Somebody's own deployment or profile is wrong.
    """
    venv, models, deployment = on_gpus.venv_in(setup.layout), on_gpus.models, on_gpus.deployment
    if deployment and need_of(setup.layout.deploy, deployment):
        lacking = absent(setup.layout.deploy, deployment, models)
    else:
        lacking = await _absent_of(setup, venv, profile, models, deployment)
        if unknown := [name for name in lacking if not _repo(name)]:
            raise Missing(_unknown(unknown, deployment.name if deployment else profile, models))
    await _fetch_all(setup, venv, models, lacking)


async def fetch_of_package(setup: SetupContext, profile: str) -> None:
    """What a package's pipeline lacks that runs where small models do. What the hub is not known to have is told:
    whether it is needed, the pipeline knows.

    Raises:
        Missing, Offline, CommandFailed: As of `fetch_checkpoints`.
    """
    venv, models = setup.layout.venv, setup.layout.models
    lacking = await _absent_of(setup, venv, profile, models)
    if unknown := [name for name in lacking if not _repo(name)]:
        setup.display.say(f"  {_unknown(unknown, profile, models)}")
    await _fetch_all(setup, venv, models, [name for name in lacking if _repo(name)])


async def _absent_of(
    setup: SetupContext, venv: Path, profile: str, models: Path, deployment: Path | None = None
) -> list[str]:
    """What a deployment of somebody's own lacks, or that of their profile: only what has the pipeline can read it."""
    with TemporaryDirectory() as folder:
        into = Path(folder) / "names.json"
        asks: list[str | Path] = [venv / "bin" / "python", "-m", "infra.models.named_checkpoints"]
        asks += [profile, models, into, *([deployment] if deployment else [])]
        await setup.run(deployment.name if deployment else profile, asks)
        return [name for name in json.loads(into.read_text()) if not (models / name).exists()]


def _repo(name: str) -> str | None:
    """The hub's repository of a checkpoint; None: none is known."""
    return HUB_NAMES.get(name) or (name if HUB_NAME.fullmatch(name) else None)


def _unknown(names: Sequence[str], whose: str, models: Path) -> str:
    return (
        f"--hub: {', '.join(names)} of {whose} is no folder in {models}, "
        "and none of the checkpoints that the hub is known to have: put it there, or write it as owner/name"
    )


async def _fetch_all(setup: SetupContext, venv: Path, models: Path, lacking: Sequence[str]) -> None:
    for name in lacking:
        with setup.display.step(name) as step:
            await _fetch(setup, step, venv, models / name, _repo(name) or name)


async def _fetch(setup: SetupContext, step: ProgressStep, venv: Path, target: Path, repo: str) -> None:
    part = target.with_name(f"{target.name}{PART}")
    try:
        part.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Missing(f"--model-dir: {target.parent} takes no checkpoints: {error.strerror}") from None
    name = f"download of {target.name}"
    argv: list[str | Path] = [venv / "bin" / "python", "-m", "infra.models.snapshot", repo, part]
    quiet = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    try:
        async with download_progress(part, lambda there: _advance(step, part, there), copies=False):
            await setup.run(name, argv, env=quiet)
    except CommandFailed as failed:
        raise _reason(target.name, repo, failed.output, setup.layout.setup_log(name.replace(" ", "-"))) from None
    part.replace(target)
    shutil.rmtree(target / ".cache", ignore_errors=True)


def _advance(step: ProgressStep, part: Path, there: int) -> None:
    if (part / TOTAL).is_file() and (total := int((part / TOTAL).read_text() or 0)):
        step.advance(min(there, total), total)


def _reason(name: str, repo: str, output: str, log: Path) -> LauncherError:
    for sign, what in WHY:
        if sign in output:
            return Missing(f"{name}: {what.format(repo=repo)} (see {log})")
    if any(sign in output for sign in OFFLINE):
        return Offline(f"{name}: the model hub cannot be reached; connect and start again (see {log})")
    return Missing(f"{name}: the download of {repo} broke off; start again, files that are whole are kept (see {log})")
