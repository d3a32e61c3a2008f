"""`infra/test`: set up what the tests need, then run the checks and the tests."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.errors import LauncherError
from infra.launcher.progress import Board
from infra.launcher.settings import Settings
from infra.launcher.setup.plan import set_up_all, set_up_venv, set_up_vllm_venv
from infra.launcher.setup.toolchains import find_node
from infra.launcher.workshop import Workshop

EXTRAS = ("agent", "embedded", "dev")
# These need torch or vLLM, and run in the venv that has them.
VLLM_TESTS = ("tests/contract/vllm", "tests/pipeline/models", "tests/pipeline/engines/test_code2wav_torch.py")
PHONE_TESTS = "tests/e2e/test_phone*.py"  # these ring up, each through the real bridge
KINDS = ("unit", "vllm", "phone")
SIDE_BY_SIDE = 4  # processes at most that run vLLM's tests, a core and 3 GB each
ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # tiny tensors: threads of OpenMP would only wait for each other
UNIT = ("-m", "not e2e and not contract and not gpu")


@dataclass(frozen=True, slots=True)
class Check:
    """One command whose exit code decides."""

    name: str
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]


async def run_tests(settings: Settings, board: Board) -> None:
    """Run the checks that were asked for, each to its end, even after one has failed.

    Raises:
        LauncherError: Names the checks that failed.
        ExceptionGroup: Set-up failed.
    """
    shop = Workshop(settings.layout, settings.environ)
    kind = settings.rest[0] if settings.rest and settings.rest[0] in KINDS else ""
    rest = settings.rest[1:] if kind else settings.rest
    if kind == "vllm":
        await set_up_vllm_venv(shop, board)
        checks = [_vllm_pytest(settings, rest)]
    elif kind == "unit":
        await set_up_venv(shop, board, EXTRAS)
        checks = [_pytest(settings, [*UNIT, *rest])]
    elif kind == "phone":
        await set_up_all(shop, board, requirements=EXTRAS, tests=True, phone=True, strict=settings.ci)
        which = () if _name_tests(rest) else sorted(map(str, settings.layout.root.glob(PHONE_TESTS)))
        checks = [_pytest(settings, [*which, *rest])]
    else:
        whole = not rest
        await set_up_all(shop, board, requirements=EXTRAS, tests=True, phone=True, strict=settings.ci, vllm=whole)
        checks = [_pytest(settings, rest), *([_vllm_pytest(settings)] if whole else [])]
    if not settings.rest:
        checks = [*_python_checks(settings), *await _page_checks(shop, board), *checks]
    failed = [check.name for check in checks if not await _passes(check, settings, board)]
    _tell_times(board)
    if failed:
        raise LauncherError(f"failed: {', '.join(failed)}")


def _python_checks(settings: Settings) -> list[Check]:
    ruff, mypy = (str(settings.layout.venv / "bin" / tool) for tool in ("ruff", "mypy"))
    root = settings.layout.root
    return [
        Check("ruff check", (ruff, "check"), root, {}),
        Check("ruff format", (ruff, "format", "--check"), root, {}),
        Check("mypy", (mypy,), root, {}),
    ]


async def _page_checks(shop: Workshop, board: Board) -> list[Check]:
    frontend = shop.layout.frontend
    scripts = json.loads((frontend / "package.json").read_text()).get("scripts", {})
    env = shop.path_with((await find_node(shop, board)).folder)
    names = [name for name in ("check", "test") if name in scripts]
    return [Check(f"page {name}", ("npm", "run", name), frontend, env) for name in names]


def _pytest(settings: Settings, arguments: Sequence[str]) -> Check:
    elsewhere = [f"--ignore={path}" for path in VLLM_TESTS]
    return _pytest_of("pytest", settings.layout.venv, settings, [*elsewhere, *arguments])


def _name_tests(arguments: Sequence[str]) -> bool:
    """Whether some of the arguments for pytest are tests, and not options only."""
    return any(Path(argument.partition("::")[0]).exists() for argument in arguments)


def _vllm_pytest(settings: Settings, arguments: Sequence[str] = ()) -> Check:
    """A part of them, or all: a file on each core."""
    everything = (f"--numprocesses={min(os.cpu_count() or 1, SIDE_BY_SIDE)}", "--dist=loadfile", *VLLM_TESTS)
    return _pytest_of("pytest vllm", settings.layout.vllm_venv, settings, arguments or everything, **ONE_THREAD)


def _pytest_of(name: str, venv: Path, settings: Settings, arguments: Sequence[str], **env: str) -> Check:
    argv = [str(venv / "bin" / "python"), "-m", "pytest", *arguments]
    if settings.ci:
        argv += ["-p", "tests.infra.no_skips"]
    return Check(name, tuple(argv), settings.layout.root, {"AURA_HOME": str(settings.layout.home), **env})


async def _passes(check: Check, settings: Settings, board: Board) -> bool:
    board.say(f"\n== {check.name}")
    begun = asyncio.get_running_loop().time()
    async with _in_foreground(check, settings) as process:
        code = await process.wait()
    board.seconds[check.name] = asyncio.get_running_loop().time() - begun
    return code == 0


@asynccontextmanager
async def _in_foreground(check: Check, settings: Settings) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A check on the terminal of the person: Ctrl-C reaches it, and it cleans up by itself."""
    process = await asyncio.create_subprocess_exec(*check.argv, cwd=check.cwd, env={**settings.environ, **check.env})
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _tell_times(board: Board) -> None:
    board.say("\n== seconds")
    for name, seconds in board.seconds.items():
        board.say(f"  {name:<16} {seconds:7.1f}")
