"""Who may import what, read from the code and not from a running program."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AGENT, PIPELINE, INFRA, BENCH = (
    sorted((ROOT / name).rglob("*.py")) for name in ("agent", "pipeline", "infra", "infra/bench")
)
INFRA = [path for path in INFRA if path not in BENCH]  # a bench is a caller: it rings up as people do
VLLM_MAY_BE_SEEN_IN = (
    Path("pipeline/engines/vllm"),
    Path("pipeline/models"),
)


def test_there_is_code_to_check() -> None:
    assert len(AGENT) > 10
    assert len(PIPELINE) > 20


def test_only_the_agent_sees_livekit() -> None:
    assert violations([*PIPELINE, *INFRA], "livekit") == []


def test_only_the_vllm_engine_and_the_models_see_vllm() -> None:
    others = [path for path in (*AGENT, *PIPELINE, *INFRA) if not may_see_vllm(path.relative_to(ROOT))]
    assert violations(others, "vllm") == []


def test_the_agent_sees_nothing_of_the_pipeline_but_its_wire() -> None:
    seen = {name for path in AGENT for name in imports(path) if within(name, "pipeline")}
    assert {name for name in seen if not within(name, "pipeline.realtime")} == set()
    assert seen, "it uses the client"


def test_the_pipeline_and_the_launcher_know_no_agent() -> None:
    assert violations([*PIPELINE, *INFRA], "agent") == []
    assert violations([*AGENT, *PIPELINE], "infra") == []


def test_nothing_but_tests_sees_the_tests() -> None:
    assert violations([*AGENT, *PIPELINE, *INFRA, *BENCH], "tests") == []


def test_the_data_flow_knows_neither_wire_nor_model() -> None:
    rooms = {"session", "speech", "vision", "context", "turns", "types", "aio"}
    core = [path for path in PIPELINE if path.relative_to(ROOT / "pipeline").parts[0] in rooms]
    foreign = {"aiohttp", "faster_whisper", "xllamacpp", "hibari_tts", "onnxruntime", "msgspec"}
    assert [seen for package in foreign for seen in violations(core, package)] == []
    assert violations(core, "pipeline.realtime") == []


def test_packages_re_export_nothing() -> None:
    filled = [path for path in (*AGENT, *PIPELINE, *INFRA) if path.name == "__init__.py" and statements(path)]
    assert filled == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import livekit.rtc", ["livekit.rtc"]),
        ("from livekit import rtc, api", ["livekit.rtc", "livekit.api"]),
        ("def f():\n    from livekit.agents import llm", ["livekit.agents.llm"]),
        ("import os as livekit", ["os"]),
        ("import importlib\nimportlib.import_module('livekit')", ["importlib", "livekit"]),
    ],
)
def test_every_way_to_import_is_seen(code: str, names: list[str]) -> None:
    assert list(imported(ast.parse(code))) == names


def violations(paths: list[Path], package: str) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {name}" for path in paths for name in imports(path) if within(name, package)]


@cache
def imports(path: Path) -> tuple[str, ...]:
    return tuple(imported(ast.parse(path.read_text(encoding="utf-8"))))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module, names):
                yield from (f"{module}.{name.name}" for name in names)
            case ast.Call(ast.Attribute(attr="import_module"), [ast.Constant(str(name))]):
                yield name


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def may_see_vllm(path: Path) -> bool:
    return any(path == seen or seen in path.parents for seen in VLLM_MAY_BE_SEEN_IN)


def statements(path: Path) -> list[ast.stmt]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
