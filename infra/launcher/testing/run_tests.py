"""`infra/test`: set up what the tests need, then run the checks and the tests."""

from infra.launcher.base.errors import LauncherError
from infra.launcher.base.progress import NAME_CELLS, Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.setup.plan import alone, set_up_all
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.toolchains import find_node
from infra.launcher.setup.venvs import make_venv, make_vllm_venv
from infra.launcher.testing.checks import (
    UNIT,
    Lane,
    all_checks,
    phone_tests,
    ray_tests_asked,
    room_tests_asked,
    some_tests,
    vllm_tests,
)
from infra.launcher.testing.lanes import LaneRunner

EXTRAS = ("agent", "embedded", "dev")


async def run_tests(settings: LauncherSettings, display: Display) -> None:
    """Run the checks that were asked for, each to its end, even after one has failed.

    Raises:
        LauncherError: Names the checks that failed.
        ExceptionGroup: Set-up failed.
    """
    lanes = await _set_up(settings, SetupContext(settings.layout, settings.environ, display))
    runner = LaneRunner(display, settings.environ, settings.layout.test_logs)
    failed = await runner.run(lanes)
    _say_times(display)
    if runner.unsteady:
        display.say(f"\n== failed beside others and passed alone: {', '.join(runner.unsteady)}")
    if failed:
        raise LauncherError(f"failed: {', '.join(failed)}")


async def _set_up(settings: LauncherSettings, setup: SetupContext) -> tuple[Lane, ...]:
    """Whatever the tests need that were asked for, and they."""
    match settings.rest:
        case ("unit", *rest):
            async with alone(setup):
                await make_venv(setup, EXTRAS)
            check = some_tests(settings, [*UNIT, *rest])
        case ("vllm", *rest):
            async with alone(setup):
                await make_vllm_venv(setup)
            check = vllm_tests(settings, rest)
        case ("phone", *rest):
            await set_up_all(setup, extras=EXTRAS, tests=True, phone=True, strict=settings.ci)
            check = phone_tests(settings, rest)
        case ():
            await set_up_all(setup, extras=EXTRAS, tests=True, phone=True, strict=settings.ci, vllm=True, ray=True)
            return all_checks(settings, setup.path_with((await find_node(setup)).folder))
        case rest:
            vllm, ray = room_tests_asked(rest), ray_tests_asked(rest)
            await set_up_all(setup, extras=EXTRAS, tests=True, phone=True, strict=settings.ci, vllm=vllm, ray=ray)
            check = some_tests(settings, rest)
    return (Lane("shown", (check,)),)


def _say_times(display: Display) -> None:
    display.say("\n== seconds")
    for name, seconds in display.seconds.items():
        display.say(f"  {name:<{NAME_CELLS}} {seconds:7.1f}")
