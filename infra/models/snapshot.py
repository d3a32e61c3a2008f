"""Fetches one whole checkpoint of a model hub into a folder; runs in a venv that has huggingface_hub.

Files that an earlier call has left whole are kept.
"""

import sys
from fnmatch import fnmatch
from pathlib import Path

from huggingface_hub import HfApi, snapshot_download

from infra.models.download_progress import TOTAL

WEIGHTS = ".safetensors"
WANTED = [f"*{WEIGHTS}", "*.json", "*.txt", "*.model", "*.jinja"]  # no pickles, and nothing that could be run


def fetch(repo: str, folder: Path) -> None:
    """Fetches what is wanted of a repository into a folder, and checks that it is whole.

    Raises:
        SystemExit: It is not whole, or never was: the client takes a folder for whole when the hub falls silent.
    """
    info = HfApi().model_info(repo, files_metadata=True)
    wanted = {file.rfilename: file.size for file in info.siblings or () if _is_wanted(file.rfilename)}
    if not any(name.endswith(WEIGHTS) for name in wanted):
        sys.exit(f"{repo} has no *{WEIGHTS}")
    for broken in folder.rglob("*.incomplete"):  # the client begins these anew, and leaves the old ones behind
        broken.unlink(missing_ok=True)
    (folder / TOTAL).parent.mkdir(parents=True, exist_ok=True)
    (folder / TOTAL).write_text(str(sum(size or 0 for size in wanted.values())))
    snapshot_download(repo, revision=info.sha, local_dir=folder, allow_patterns=WANTED)
    if lacking := [name for name, size in wanted.items() if not _whole(folder / name, size)]:
        sys.exit(f"{repo}: not whole: {', '.join(lacking)}")


def _is_wanted(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in WANTED)


def _whole(file: Path, size: int | None) -> bool:
    return file.is_file() and size in (None, file.stat().st_size)


if __name__ == "__main__":
    fetch(sys.argv[1], Path(sys.argv[2]))
