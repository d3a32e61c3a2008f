"""`infra/test`: set up what the tests need, then run the checks and the tests."""

from infra.launcher.base.errors import LauncherError
from infra.launcher.base.progress import Board
from infra.launcher.cli.settings import Settings
from infra.launcher.setup.plan import set_up_all, set_up_venv, set_up_vllm_venv
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.toolchains import find_node
from infra.launcher.testing.checks import UNIT, Lane, all_checks, phone_tests, some_tests, vllm_tests
from infra.launcher.testing.lanes import SideBySide

EXTRAS = ("agent", "embedded", "dev")


async def run_tests(settings: Settings, board: Board) -> None:
    """Run the checks that were asked for, each to its end, even after one has failed.

    Raises:
        LauncherError: Names the checks that failed.
        ExceptionGroup: Set-up failed.
    """
    lanes = await _set_up(settings, Workshop(settings.layout, settings.environ), board)
    failed = await SideBySide(board, settings.environ, settings.layout.home / "logs" / "tests").run(lanes)
    _tell_times(board)
    if failed:
        raise LauncherError(f"failed: {', '.join(failed)}")


async def _set_up(settings: Settings, shop: Workshop, board: Board) -> tuple[Lane, ...]:
    """Whatever the tests need that were asked for, and they."""
    match settings.rest:
        case ("unit", *rest):
            await set_up_venv(shop, board, EXTRAS)
            check = some_tests(settings, [*UNIT, *rest])
        case ("vllm", *rest):
            await set_up_vllm_venv(shop, board)
            check = vllm_tests(settings, rest)
        case ("phone", *rest):
            await set_up_all(shop, board, requirements=EXTRAS, tests=True, phone=True, strict=settings.ci)
            check = phone_tests(settings, rest)
        case ():
            await set_up_all(shop, board, requirements=EXTRAS, tests=True, phone=True, strict=settings.ci, vllm=True)
            return all_checks(settings, shop.path_with((await find_node(shop, board)).folder))
        case rest:
            await set_up_all(shop, board, requirements=EXTRAS, tests=True, phone=True, strict=settings.ci)
            check = some_tests(settings, rest)
    return (Lane("shown", (check,)),)


def _tell_times(board: Board) -> None:
    board.say("\n== seconds")
    for name, seconds in board.seconds.items():
        board.say(f"  {name:<16} {seconds:7.1f}")
