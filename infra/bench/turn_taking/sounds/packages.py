"""Voices' packages, which are brought once and kept in a folder."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path


def brought(home: Path, bring: Callable[[Path], None]) -> bool:
    """Whether the folder is there, or could be brought.

    Args:
        bring: Fills the folder that it is given; may raise what `subprocess.run` does.
    """
    if home.is_dir():
        return True
    coming = home.with_name(f"{home.name}.coming")
    shutil.rmtree(coming, ignore_errors=True)
    coming.mkdir(parents=True)
    try:
        bring(coming)
    except (OSError, subprocess.CalledProcessError):
        shutil.rmtree(coming, ignore_errors=True)
        return False
    coming.replace(home)
    return True
