"""Fetches the checkpoints that a deployment for GPUs lacks from a model hub; `HF_ENDPOINT` names another hub."""

import json
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.launcher.base.errors import CommandFailed, LauncherError, Missing, Offline
from infra.launcher.base.progress import ProgressStep
from infra.launcher.base.settings import OnGpus
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


async def fetch_checkpoints(setup: SetupContext, on_gpus: OnGpus) -> None:
    """Each in its folder, which is there only when it is whole; the venv for GPUs has the hub's client.

    Raises:
        Missing, Offline: One cannot be had; says what to do.
        CommandFailed: Somebody's own deployment is wrong.
    """
    if on_gpus.deployment is None:
        return
    if need_of(setup.layout.deploy, on_gpus.deployment):
        folders = absent(setup.layout.deploy, on_gpus.deployment, on_gpus.models)
    else:
        folders = await _absent_of(setup, on_gpus.venv_in(setup.layout), on_gpus.deployment, on_gpus.models)
    for folder in folders:
        with setup.display.step(folder) as step:
            await _fetch(
                setup, step, on_gpus.venv_in(setup.layout), on_gpus.models / folder, HUB_NAMES.get(folder, folder)
            )


async def _absent_of(setup: SetupContext, venv: Path, deployment: Path, models: Path) -> list[str]:
    """What somebody's own deployment lacks: only what has the pipeline can read it."""
    with TemporaryDirectory() as folder:
        into = Path(folder) / "names.json"
        await setup.run(
            deployment.name, [venv / "bin" / "python", "-m", "infra.models.named_checkpoints", deployment, models, into]
        )
        lacking = [name for name in json.loads(into.read_text()) if not (models / name).is_dir()]
    if unknown := [name for name in lacking if name not in HUB_NAMES and not HUB_NAME.fullmatch(name)]:
        raise Missing(
            f"--hub: {', '.join(unknown)} of {deployment.name} is no folder in {models}, "
            "and none of the checkpoints that the hub is known to have: put it there, or write it as owner/name"
        )
    return lacking


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
