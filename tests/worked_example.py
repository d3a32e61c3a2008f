"""The worked example of `docs/add-a-model.md`, installed into a folder: a pipeline that says back what it hears."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r'^```\w+ title="([\w./]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def worked_example(folder: Path) -> Path:
    """Write its files into the folder, and return `site` below it, with what installing their wheel leaves."""
    for name, text in BLOCK.findall((ROOT / "docs" / "add-a-model.md").read_text(encoding="utf-8")):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    built = "from hatchling.build import build_wheel; print(build_wheel('.'))"
    wheel = subprocess.run([sys.executable, "-c", built], cwd=folder, check=True, capture_output=True, text=True)
    site = folder / "site"
    with zipfile.ZipFile(folder / wheel.stdout.split()[-1]) as archive:
        archive.extractall(site)
    return site
