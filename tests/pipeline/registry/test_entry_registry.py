"""What is found by name: imported when it is used, refused by name where it cannot be, and the rest goes on."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import ConfigError
from pipeline.registry.entry_registry import EntryRegistry
from pipeline.registry.shipped import ENGINES, PIPELINES
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.profiles import Profile
from tests.pipeline.registry.packages import install

GROUP = "a.group"
SHIPPED = {"pi": "math:pi"}
Brings = Callable[..., None]


@pytest.fixture
def brings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Brings:
    """Installs a package, each in a folder of its own."""

    def bring(package: str, source: str, lines: str) -> None:
        folder = tmp_path / package
        install(folder, package, source, a_group=lines)
        monkeypatch.syspath_prepend(folder)

    return bring


def registry() -> EntryRegistry[float]:
    return EntryRegistry(GROUP, float, SHIPPED)


def refusal(name: str) -> str:
    with pytest.raises(ConfigError) as caught:
        _ = registry()[name]
    return str(caught.value)


def test_nothing_is_imported_until_it_is_used(brings: Brings) -> None:
    brings("registry_lazy", "SUM = 1.5\n", "lazy = registry_lazy:SUM")
    known = registry()
    assert list(known) == ["pi", "lazy"] and "lazy" in known and len(known) == 2 and known.clashes() == []
    assert "registry_lazy" not in sys.modules
    assert known["lazy"] == 1.5


def test_what_nobody_gives_is_not_there() -> None:
    assert registry().get("tau") is None and "tau" not in registry()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise RuntimeError('no such GPU')\n", "it cannot be loaded: RuntimeError: no such GPU"),
        ("import sys\nsys.exit(3)\n", "it cannot be loaded: SystemExit: 3"),
        ("import registry_absent\n", "it cannot be loaded: ModuleNotFoundError: No module named 'registry_absent'"),
        ("", "it cannot be loaded: AttributeError: module 'registry_bad' has no attribute 'IT'"),
        ("IT = 'words'\n", "it is of type str, not float"),
        (
            "from pipeline.errors import ConfigError\nraise ConfigError('topology x', ['one', 'two'])\n",
            "topology x: one",
        ),
    ],
)
def test_one_that_cannot_be_had_is_refused_by_name_and_the_rest_goes_on(
    brings: Brings, monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    monkeypatch.delitem(sys.modules, "registry_bad", raising=False)
    brings("registry_bad", source, "bad = registry_bad:IT")
    first = f"entry point a.group bad = registry_bad:IT of registry_bad 1.0: {why}"
    assert refusal("bad").splitlines()[0] == first
    found, faults = registry().sound()
    assert found.keys() == {"pi"} and faults[0] == first


def test_a_name_that_two_packages_give_belongs_to_neither(brings: Brings) -> None:
    for package in ("registry_one", "registry_two"):
        brings(package, "IT = 1.0\n", f"twice = {package}:IT\n{package} = {package}:IT")
    said = refusal("twice")
    assert said.startswith("a.group: `twice` is given twice: by ") and "\n" not in said
    assert "registry_one 1.0" in said and "registry_two 1.0" in said
    assert "registry_one" not in sys.modules
    found, faults = registry().sound()
    assert found.keys() == {"pi", "registry_one", "registry_two"} and faults == [said]


def test_a_name_that_comes_with_aura_is_not_taken_away(brings: Brings) -> None:
    brings("registry_thief", "IT = 3.0\n", "pi = registry_thief:IT")
    known = registry()
    assert 3.14 < known["pi"] < 3.15 and list(known) == ["pi"]
    assert known.clashes() == [
        "entry point a.group pi = registry_thief:IT of registry_thief 1.0: `pi` comes with AURA, and that one is used"
    ]


def test_a_package_that_lies_on_the_path_twice_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for copy in ("a", "b"):
        install(tmp_path / copy, "registry_copied", "IT = 2.0\n", a_group="copied = registry_copied:IT")
        monkeypatch.syspath_prepend(tmp_path / copy)
    assert registry()["copied"] == 2.0


@pytest.mark.parametrize("name", PIPELINES)
def test_every_pipeline_that_comes_with_aura_is_found(name: str) -> None:
    assert EntryRegistry("none", Profile, PIPELINES, ())[name].topology.stages


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_that_comes_with_aura_is_found(name: str) -> None:
    assert EntryRegistry("none", EngineKind, ENGINES, ())[name].makes
