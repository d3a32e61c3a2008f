"""A second `infra/up` where one runs: the same is fine, another is refused with what holds and how to change it."""

import asyncio
import io
import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web
from msgspec import structs

from agent.web.outside.certificates import local_certificate
from infra.launcher.base.errors import LauncherError
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.cli import detach
from infra.launcher.cli.arguments import read_settings
from infra.launcher.cli.detach import options, say_ready, until_ready
from infra.launcher.cli.running_check import check_running, differences
from infra.launcher.cli.up import options_of
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.lockfile import lock_run_folder
from infra.launcher.supervise.ports import Ports
from infra.launcher.supervise.run_file import Running, read_run_file, write_run_file

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[4]
RUNNING = Running(
    "http://page/", "http://127.0.0.1:9", "ws://livekit", {}, {"--profile": "embedded", "AURA_PORT": "80"}
)


def asked(run: Path, *arguments: str, **environ: str) -> LauncherSettings:
    return read_settings(ROOT, ["up", "--run-dir", str(run), *arguments], environ)


def test_what_a_stack_was_started_with_is_kept(tmp_path: Path) -> None:
    write_run_file(tmp_path / "run.json", RUNNING)
    assert read_run_file(tmp_path / "run.json") == RUNNING


@pytest.mark.parametrize(
    ("arguments", "environ", "others"),
    [
        ((), {}, []),
        (("--detach", "--profile", "embedded"), {"AURA_PORT": "80"}, []),
        (("--max-sessions", "3"), {}, ["--max-sessions is 4, not 3"]),
        (("--max-sessions", "4"), {"AURA_PORT": "81"}, ["AURA_PORT is 80, not 81"]),
        (("--hub", "--detach", "--max-sessions", "5"), {}, ["--max-sessions is 4, not 5", "--hub has no effect now"]),
        (("--phone",), {}, ["--phone has no effect now"]),
        (
            ("--phone",),
            {"AURA_SIP_NUMBERS": "5"},
            ["--phone has no effect now", "AURA_SIP_NUMBERS 5 has no effect now"],
        ),
        ((), {"AURA_SIP_NUMBERS": "5"}, []),
    ],
)
def test_only_what_was_asked_for_can_differ(
    arguments: tuple[str, ...], environ: dict[str, str], others: list[str]
) -> None:
    holds = {**RUNNING.options, "--max-sessions": "4"}
    assert differences(asked(Path("/run"), *arguments, **environ).asked, holds) == others


def test_the_same_command_again_differs_in_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("root.pem", "mine.key", "aura.yaml"):
        (tmp_path / name).write_text("")
    root = local_certificate(tmp_path / "tls", ["127.0.0.1"], datetime.now(UTC)).root  # noqa: TID251 - a certificate's
    (tmp_path / "root.pem").write_bytes(root.read_bytes())
    phone = {"AURA_SIP_CARRIER_ROOT": "root.pem", "AURA_SIP_NUMBERS": "5", "AURA_SIP_ENCRYPTION": "none"}
    for arguments, environ in (
        ((), {}),
        (("--hub",), {"AURA_PORT": "80"}),
        (("--phone",), phone),
        (("--host", "127.0.0.1", "--password", "--cert", "root.pem", "--key", "mine.key"), {}),
        (("--profile", "vllm", "--model-dir", ".", "--stage-configs-path", "aura.yaml", "--hub"), {}),
    ):
        settings = asked(tmp_path, *arguments, **environ)
        ports = replace(Ports(*range(1, 14)), **settings.ports)
        assert differences(settings.asked, options_of(settings, ports)) == [], arguments


def test_a_launcher_in_the_background_is_asked_for_the_same(tmp_path: Path) -> None:
    for arguments in (
        ("--profile", "vllm", "--model-dir", str(tmp_path), "--max-sessions", "2"),
        ("--phone", "--profile", "embedded"),
        (),
    ):
        settings = asked(tmp_path, *arguments, "--detach", AURA_PORT="80", AURA_SIP_NUMBERS="5")
        assert asked(tmp_path, *options(settings.asked), AURA_PORT="80", AURA_SIP_NUMBERS="5") == replace(
            settings, detach=False
        )


@pytest.mark.parametrize("phone", [True, False])
def test_who_is_left_alone_with_a_stack_is_told_the_number_to_dial(
    layout: Layout, display: Display, screen: io.StringIO, phone: bool
) -> None:
    installation_keys(layout.env_file, sip_uri="sip:100@127.0.0.1:5060" if phone else "")
    say_ready(layout, structs.replace(RUNNING, options={"--phone": ""} if phone else {}), display)
    line = f"  dial sip:100@127.0.0.1:5060; user and password are in {layout.env_file}"
    assert (line in screen.getvalue().splitlines()) == phone
    assert screen.getvalue().endswith(f"  logs in {layout.logs}; {layout.down} stops it\n")


async def test_another_number_of_callers_is_refused_with_the_one_that_holds(
    tmp_path: Path, display: Display, screen: io.StringIO
) -> None:
    async def ready(_: web.Request) -> web.Response:
        return web.json_response({"ready": True, "free_sessions": 2, "max_sessions": 4})

    app = web.Application()
    app.router.add_get("/ready", ready)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        pipeline_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        write_run_file(tmp_path / "run.json", structs.replace(RUNNING, pipeline_url=pipeline_url))
        with pytest.raises(
            LauncherError, match=r"--max-sessions is 4, not 3.* stop it with infra/down --run-dir .* and start it"
        ):
            await check_running(asked(tmp_path, "--max-sessions", "3"), display, None)
        await check_running(asked(tmp_path, "--max-sessions", "4"), display, None)
    finally:
        await runner.cleanup()
    assert screen.getvalue() == f"AURA runs already: http://page/  ({asked(tmp_path).layout.down} stops it)\n"


async def test_a_stack_that_another_has_started_during_the_set_up_is_left_alone(
    tmp_path: Path, display: Display, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as another:

        async def set_up(settings: LauncherSettings, _: Display) -> LauncherSettings:
            another.enter_context(lock_run_folder(tmp_path, "stack"))
            write_run_file(tmp_path / "run.json", RUNNING)
            return settings

        monkeypatch.setattr(detach, "set_up", set_up)
        await detach.up_detached(asked(tmp_path, "--detach"), display)
        assert screen.getvalue().startswith("AURA runs already: http://page/")
        assert read_run_file(tmp_path / "run.json") == RUNNING
        assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(
    ("code", "log", "says"),
    [
        (
            130,
            "  livekit-server   done\nAURA is stopped\n",
            "AURA was stopped before it was ready (by infra/down, or a",
        ),
        (
            1,
            "  pipeline   failed\ninfra/up: pipeline ended with code 2; the end of x:\n    no model\n",
            "pipeline ended",
        ),
        (-9, "  livekit-server   done\n", "the launcher in the background ended with code -9; see "),
    ],
)
async def test_a_launcher_that_ends_before_it_is_ready_is_said_in_a_line(
    tmp_path: Path, code: int, log: str, says: str
) -> None:
    (tmp_path / "up.log").write_text(log)
    end = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)" if code < 0 else f"raise SystemExit({code})"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", end)
    settings = LauncherSettings("up", Layout(ROOT, tmp_path, tmp_path), environ={}, ports={}, ci=False)
    with pytest.raises(LauncherError) as refused:
        await until_ready(process, settings, tmp_path / "up.log")
    assert str(refused.value).startswith(says)
    assert "livekit-server" not in str(refused.value)
