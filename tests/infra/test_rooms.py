"""The rooms of infra: each takes only from rooms below it."""

from pathlib import Path

import pytest

from tests.pipeline.test_boundaries import imports as all_imports

ROOT = Path(__file__).parents[2]
LAUNCHER = (  # from the top
    "infra.launcher.cli",
    "infra.launcher.testing",
    "infra.launcher.supervise",
    "infra.launcher.setup",
    "infra.models",
    "infra.launcher.base",
)
BENCH = (
    "infra.bench.answers",
    "infra.bench.latency",
    "infra.bench.load",
    "infra.bench.relay",
    "infra.bench.soak",
    "infra.bench.tools",
    "infra.bench.turn_taking",
    "infra.bench.vision",
    "infra.bench.eot",
    "infra.bench.person",
    "infra.bench.base",
)
TAKES_FROM_THE_LAUNCHER = {"infra.bench.base.running_stack"}
FOR_ALL = "infra.free_ports"
FILES = sorted((ROOT / "infra").rglob("*.py"))


@pytest.mark.parametrize("order", [LAUNCHER, BENCH])
def test_a_room_takes_only_from_those_below_it(order: tuple[str, ...]) -> None:
    above = [
        f"{name(path)}: {taken}"
        for path in FILES
        for taken in set(imports(path))
        if (taker := place(name(path), order)) is not None
        and (giver := place(taken, order)) is not None
        and giver < taker
    ]
    assert above == []


def test_the_launcher_knows_no_bench_and_the_bench_little_of_the_launcher() -> None:
    crossing = {
        name(path)
        for path in FILES
        for taken in imports(path)
        if not taken.startswith(FOR_ALL) and place(name(path), ("infra.bench",)) != place(taken, ("infra.bench",))
    }
    assert crossing == TAKES_FROM_THE_LAUNCHER


def test_what_runs_before_anything_is_installed_takes_from_nobody() -> None:
    assert list(imports(ROOT / "infra" / "launcher" / "bootstrap.py")) == []


def name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def place(module: str, order: tuple[str, ...]) -> int | None:
    """The number of the room in which a module is."""
    return next((at for at, room in enumerate(order) if module == room or module.startswith(f"{room}.")), None)


def imports(path: Path) -> list[str]:
    """What a module takes from infra."""
    return [name for name in all_imports(path) if name.startswith("infra.")]
