"""Rooms: each folder has one purpose, imports only from rooms below it, and no class name stands twice."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.test_boundaries import imports as all_imports

ROOT = Path(__file__).parents[1]
MOST_FILES = 15  # in a folder; who looks for something reads so many names at a glance
# From the top. What stands in one line imports only from lines below, or from itself.
PIPELINE = (
    "cli",
    "offline",
    "asking",
    "realtime",
    "telemetry",
    "shipped",
    "runtime",
    "session",
    "vision",
    "speech",
    "turns",
    "deployment",
    "topology",
    "engines",
    "context",
    "tools",
    "models",
    "types",
    "media",
    "aio",
    "registry",
    "errors",
)
ENGINES = (
    "qwen3_omni",
    "aura",
    "qwen3_asr",
    "qwen3_tts",
    "code2wav",
    "vllm",
    "llamacpp",
    "whisper",
    "hibari",
    "silero",
    "smart_turn",
    "image_recognition",
)
AGENT = (
    "main",
    "lk",
    "reloading",
    "worker",
    "job",
    "phone",
    "console",
    "call",
    "character",
    "answers",
    "web",
    "rooms",
    "cells",
    "records",
    "tools",
    "livekit",
    "telemetry",
    "floor",
    "turns",
    "status",
    "video",
    "settings",
    "persona",
    "logs",
    "preloading",
    "job_processes",
    "aio",
)
PRODUCT = [path for name in ("agent", "pipeline", "infra") for path in sorted((ROOT / name).rglob("*.py"))]


@pytest.mark.parametrize(("package", "order"), [("pipeline", PIPELINE), ("agent", AGENT)])
def test_rooms_import_only_from_rooms_below(package: str, order: tuple[str, ...]) -> None:
    upwards = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in PRODUCT
        if path.relative_to(ROOT).parts[0] == package and (here := room_of(path)) != package
        for name in imports(path)
        if name.split(".")[0] == package and order.index(name.split(".")[1]) < order.index(here)
    ]
    assert upwards == []


def test_every_room_has_a_place_in_the_order() -> None:
    rooms = {package: {room_of(path) for path in (ROOT / package).rglob("*.py")} for package in ("agent", "pipeline")}
    assert rooms == {"agent": {*AGENT, "agent"}, "pipeline": {*PIPELINE, "pipeline"}}


def test_no_engine_imports_another() -> None:
    """What two of them share is `vllm`, or stands in `engines` itself."""
    folder = ROOT / "pipeline" / "engines"
    strangers = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted(folder.glob("*/*.py"))
        for name in imports(path)
        if name.startswith("pipeline.engines.")
        and name.split(".")[2] in ENGINES
        and name.split(".")[2] not in (path.parent.name, "vllm")
    ]
    assert strangers == []
    upwards = [
        f"{path.name} imports {name}"
        for path in sorted(folder.glob("*.py"))
        for name in imports(path)
        if name.startswith("pipeline.engines.") and name.split(".")[2] in ENGINES
    ]
    assert upwards == []


def test_no_public_class_name_stands_twice() -> None:
    places = Counter(
        node.name
        for path in PRODUCT
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in places.items() if count > 1] == []


def test_a_folder_has_a_purpose_of_one_line_and_few_files() -> None:
    folders = {path.parent for path in PRODUCT}
    without = [str(folder.relative_to(ROOT)) for folder in folders if not _purpose(folder)]
    assert without == []
    full = {
        str(folder.relative_to(ROOT)): count
        for folder in folders
        if (count := len([path for path in folder.glob("*.py") if path.name != "__init__.py"])) > MOST_FILES
    }
    assert full == {}


def room_of(path: Path) -> str:
    """The first part of its path below the package, without `.py`; the package's own name for its `__init__`."""
    package, first = path.relative_to(ROOT).parts[:2]
    return package if first == "__init__.py" else first.removesuffix(".py")


def imports(path: Path) -> list[str]:
    """The modules of agent and pipeline that it imports, wherever in the file."""
    return [name for name in all_imports(path) if name.startswith(("agent.", "pipeline."))]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _purpose(folder: Path) -> str:
    docstring = ast.get_docstring(tree(folder / "__init__.py")) if (folder / "__init__.py").exists() else None
    return docstring if docstring and "\n" not in docstring else ""
