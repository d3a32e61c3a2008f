"""Writes bills of materials (CycloneDX) of all that is pinned."""

from collections.abc import Iterator
from pathlib import Path

from infra.trust.toolbox import Toolbox

PYTHON = ("agent", "embedded", "vllm", "ray", "launcher")
GO = ("livekit", "sip")


def write_bills(tools: Toolbox, folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file, and why it could not be written; empty: it was."""
    folder.mkdir(parents=True, exist_ok=True)
    infra = tools.root / "infra"
    for name in PYTHON:
        path = folder / f"python-{name}.cdx.json"
        pins = str(infra / "requirements" / f"{name}.txt")
        run = tools.python_tool("cyclonedx-py", "requirements", pins, "--of", "JSON", "-o", str(path))
        yield path, run.missing or (run.error.strip() if run.status else "")
    path = folder / "frontend.cdx.json"
    run = tools.npm("sbom", "--package-lock-only", "--sbom-format", "cyclonedx")
    if not (why := run.missing or (run.error.strip() if run.status else "")):
        path.write_text(run.output)
    yield path, why
    for name in GO:
        path = folder / f"go-{name}.cdx.json"
        run = tools.go_tool("cyclonedx-gomod", "mod", "-json", "-output", str(path), str(infra / name))
        yield path, run.missing or (run.error.strip() if run.status else "")
