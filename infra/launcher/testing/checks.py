"""What `infra/test` runs: each check as a command, and how the checks of a whole run share the machine."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from infra.launcher.base.settings import LauncherSettings

# These need torch or vLLM, and run in the venv that has them.
VLLM_TESTS = ("tests/contract/vllm", "tests/pipeline/models", "tests/pipeline/engines/code2wav/test_torch.py")
CALLS = "tests/e2e"  # people who speak, in real time
WAITING_TESTS = (f"{CALLS}/test_acme.py",)  # for a certificate to run out; they compute next to nothing
PHONE_TESTS = f"{CALLS}/test_phone*.py"  # these ring up, each through the real bridge
TALK_TESTS = f"{CALLS}/test_phone_talk.py"  # of those, what needs the real models
# A script speaks in place of the models; some of the pages need the stack all the same.
SCRIPTED_TESTS = tuple(
    f"{CALLS}/test_{name}.py" for name in ("look", "page_*", "replay", "cells", "lk_console", "your_own_livekit")
)
PAGE_CALLS = tuple(f"{CALLS}/test_page_{name}.py" for name in ("records", "settings", "trouble"))
ROOM_TESTS = f"{CALLS}/vllm"  # people who speak to the pipeline for GPUs: of both venvs
RAY_TESTS = f"{CALLS}/test_ray.py"
SIDE_BY_SIDE = 4  # processes at most that run vLLM's tests, a core and 3 GB each
ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # tiny tensors: threads of OpenMP would only wait for each other
IN_ORDER = "--no-loadscope-reorder"  # files that take a minute have few tests: they would come last, one by one
UNIT = ("-m", "not e2e and not contract and not gpu")
ONLY_FAILED = ("--last-failed", "--last-failed-no-failures=none", "--numprocesses=0")

Place = Literal["shown", "beside", "behind"]


@dataclass(frozen=True, slots=True)
class Check:
    """One command whose exit code decides.

    Attributes:
        again: Runs what of it has failed once more; of no words if nothing of it deserves that.
    """

    name: str
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """Checks that run one after the other; all lanes of a run begin together.

    Attributes:
        place: On the screen; or into a log beside it; or so, with what time the others leave over.
    """

    place: Place
    checks: tuple[Check, ...]


def all_checks(settings: LauncherSettings, node: Mapping[str, str]) -> tuple[Lane, ...]:
    """Every check and every test.

    Args:
        node: The environment in which `npm` is found.
    """
    ruff, ruff_format, mypy = _python_checks(settings)
    tests, calls, rooms, phones, waiting, scripted = _parts(settings)
    return (
        Lane("shown", (ruff, ruff_format, *(_remembers(settings, check) for check in (tests, scripted, calls, rooms)))),
        Lane("beside", (_remembers(settings, waiting), _remembers(settings, phones))),
        Lane("behind", (*_page_checks(settings, node), mypy, _remembers(settings, vllm_tests(settings)))),
    )


def some_tests(settings: LauncherSettings, arguments: Sequence[str]) -> Check:
    """Runs the tests that pytest is asked for, in one process."""
    return _pytest("pytest", settings, arguments)


def phone_tests(settings: LauncherSettings, arguments: Sequence[str]) -> Check:
    """Runs the tests that ring up, unless some are named."""
    return _pytest("pytest", settings, [*_unless_named(PHONE_TESTS), *arguments])


def vllm_tests(settings: LauncherSettings, arguments: Sequence[str] = ()) -> Check:
    """Runs the tests that need vLLM, unless some are named; all of them run a file on each core."""
    which = (*_unless_named(*VLLM_TESTS), *(arguments or _workers(SIDE_BY_SIDE)))
    return _pytest_of("vllm", settings.layout.vllm_venv, settings, which, **ONE_THREAD)


def room_tests_asked(arguments: Sequence[str]) -> bool:
    """Whether pytest is asked for tests that need vLLM's venv beside their own."""
    return any(argument.startswith(ROOM_TESTS) for argument in arguments)


def ray_tests_asked(arguments: Sequence[str]) -> bool:
    """Whether pytest is asked for tests that need Ray's venv beside their own."""
    return any(argument.startswith(RAY_TESTS) for argument in arguments)


def _parts(settings: LauncherSettings) -> tuple[Check, Check, Check, Check, Check, Check]:
    """No stack; calls to small real models; to tiny ones on vLLM; by phone to a script; what waits; other scripts."""
    phones = _found(settings, (PHONE_TESTS,), but=(TALK_TESTS,))
    waiting = _found(settings, WAITING_TESTS, but=())
    scripted = _found(settings, SCRIPTED_TESTS, but=PAGE_CALLS)
    without = [f"--ignore={path}" for path in (*phones, *waiting, *scripted, ROOM_TESTS)]
    return (
        _pytest("tests", settings, [*_workers(2), IN_ORDER, f"--ignore={CALLS}"]),
        _pytest("calls", settings, [CALLS, *without]),
        _pytest("rooms", settings, [ROOM_TESTS]),
        _pytest("phones", settings, phones),
        _pytest("waiting", settings, waiting),
        _pytest("scripted", settings, scripted),
    )


def _remembers(settings: LauncherSettings, check: Check) -> Check:
    """The same, which keeps what failed where no check beside it does."""
    argv = (*check.argv, "-o", f"cache_dir={settings.layout.test_logs / check.name}.cache")
    return replace(check, argv=argv, again=(*argv, *ONLY_FAILED))


def _unless_named(*paths: str) -> tuple[str, ...]:
    """What pytest takes if none of its arguments is a path: only it can tell those from the values of options."""
    return "-o", f"testpaths={' '.join(paths)}"


def _workers(most: int) -> tuple[str, ...]:
    return f"--numprocesses={min(os.cpu_count() or 1, most)}", "--dist=loadfile"


def _found(settings: LauncherSettings, patterns: Iterable[str], *, but: Iterable[str]) -> list[str]:
    root = settings.layout.root
    found, left_out = ({path for each in paths for path in root.glob(each)} for paths in (patterns, but))
    return sorted(str(path.relative_to(root)) for path in found - left_out)


def _python_checks(settings: LauncherSettings) -> list[Check]:
    ruff, mypy = (str(settings.layout.venv / "bin" / tool) for tool in ("ruff", "mypy"))
    root = settings.layout.root
    return [
        Check("ruff check", (ruff, "check"), root, {}),
        Check("ruff format", (ruff, "format", "--check"), root, {}),
        Check("mypy", (mypy,), root, {}),
    ]


def _page_checks(settings: LauncherSettings, node: Mapping[str, str]) -> list[Check]:
    frontend = settings.layout.frontend
    return [Check(f"page {name}", ("npm", "run", name), frontend, node) for name in ("check", "test")]


def _pytest(name: str, settings: LauncherSettings, arguments: Sequence[str]) -> Check:
    elsewhere = [f"--ignore={path}" for path in VLLM_TESTS]
    return _pytest_of(name, settings.layout.venv, settings, [*elsewhere, *arguments])


def _pytest_of(name: str, venv: Path, settings: LauncherSettings, arguments: Sequence[str], **env: str) -> Check:
    argv = [str(venv / "bin" / "python"), "-m", "pytest", *arguments]
    if settings.ci:
        argv += ["-p", "tests.infra.no_skips"]
    return Check(name, tuple(argv), settings.layout.root, {"AURA_HOME": str(settings.layout.home), **env})
