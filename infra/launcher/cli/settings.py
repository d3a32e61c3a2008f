"""What a person asked of the launcher, on the command line and in the environment."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.bytecode import with_bytecode
from infra.launcher.cli.gpu_options import OnGpus, add_gpu_options, gpu_options
from infra.launcher.supervise.phone_services import sip_host, trunk_options
from infra.launcher.supervise.ports import VARIABLES, asked_ports

PROFILES = ("embedded", "vllm")
UP_HELP = f"""\
environment:
  AURA_HOME            what set-up makes: tools, venv, models (default: .aura in the checkout)
  AURA_RUN_DIR         the same as --run-dir
  {", ".join(VARIABLES.values())}
                       ports; free ones unless set
  AURA_WEB_HOSTS       names of the page's server, with commas, if a proxy stands before it
  AURA_SIP_HOST        with --phone: the address of this machine at which phones reach it (default: 127.0.0.1)
  AURA_SIP_NUMBERS     with --phone: the numbers that reach the agent, with commas (default: 100)
  AURA_SIP_ADDRESSES   with --phone: the addresses that may call (default: 127.0.0.1/32)
  AURA_SIP_OPERATOR    with --phone: who is reached with the key 0, as a SIP or tel URI
  HF_ENDPOINT          the model hub that --hub asks
  HF_TOKEN             the token for it, if it wants one
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """One call of `infra/up`, `infra/down` or `infra/test`.

    Attributes:
        ports: Ports that were asked for, by the field names of `Ports`.
        asked: What was asked for of all that a running stack may have been started with, by option or variable.
        on_gpus: What else the profile `vllm` needs.
        rest: Arguments for pytest.
    """

    verb: str
    layout: Layout
    environ: Mapping[str, str]
    ports: Mapping[str, int]
    ci: bool
    profile: str = PROFILES[0]
    max_sessions: int | None = None
    detach: bool = False
    hub: bool = False
    phone: bool = False
    on_gpus: OnGpus | None = None
    rest: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)


def read_settings(root: Path, arguments: list[str], environ: Mapping[str, str]) -> Settings:
    """The settings of this call.

    Raises:
        BadUsage: An argument or a variable makes no sense.
        SystemExit: `--help` was answered.
    """
    rest = arguments[1:] if arguments[:1] == ["test"] and "--help" not in arguments else []  # pytest knows its own
    asked = _parser().parse_args(arguments[: len(arguments) - len(rest)])
    home = Path(os.path.abspath(environ.get("AURA_HOME") or root / ".aura"))
    run = asked.run_dir or environ.get("AURA_RUN_DIR") or home
    profile = getattr(asked, "profile", None) or PROFILES[0]
    if profile not in PROFILES:
        raise BadUsage(f"unknown profile `{profile}`; there is: {', '.join(PROFILES)}")
    max_sessions = getattr(asked, "max_sessions", None)
    if max_sessions is not None and max_sessions < 1:
        raise BadUsage(f"--max-sessions is {max_sessions}, at least 1 is needed")
    if getattr(asked, "phone", False):
        sip_host(environ)
    layout = Layout(root, home, Path(os.path.abspath(run)))
    return Settings(
        verb=asked.verb,
        layout=layout,
        environ=with_bytecode(environ, home),
        ports=(ports := asked_ports(environ)),
        ci=environ.get("CI", "").lower() in ("1", "true"),
        profile=profile,
        max_sessions=max_sessions,
        detach=getattr(asked, "detach", False),
        hub=getattr(asked, "hub", False),
        phone=getattr(asked, "phone", False),
        on_gpus=gpu_options(asked, profile, layout.models),
        rest=tuple(rest),
        asked=_for_a_stack(asked, ports, environ),
    )


def _for_a_stack(given: argparse.Namespace, ports: Mapping[str, int], environ: Mapping[str, str]) -> dict[str, str]:
    options = {
        f"--{name.replace('_', '-')}": str(value)
        for name in ("profile", "model_dir", "stage_configs_path", "max_sessions")
        if (value := getattr(given, name, None)) is not None
    }
    flags = {f"--{name}": "" for name in ("hub", "phone") if getattr(given, name, False)}
    phone = trunk_options(environ) if "--phone" in flags else {}
    return {**options, **flags, **phone, **{VARIABLES[name]: str(port) for name, port in ports.items()}}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadUsage(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="infra", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser(
        "up",
        prog="infra/up",
        allow_abbrev=False,
        description="Set up what is missing, and run AURA.",
        epilog=UP_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    up.add_argument("--profile", metavar="NAME", help=f"which models (default: {PROFILES[0]})")
    add_gpu_options(up)
    up.add_argument("--max-sessions", type=int, metavar="N", help="most callers at a time")
    up.add_argument("--detach", action="store_true", help="return when it runs; infra/down stops it")
    up.add_argument("--phone", action="store_true", help="take phone calls, too: with a SIP bridge")
    up.add_argument("--hub", action="store_true", help="fetch the weights that lack from the model hub")
    down = verbs.add_parser("down", prog="infra/down", allow_abbrev=False, description="Stop what infra/up runs.")
    for verb in (up, down):
        verb.add_argument(
            "--run-dir",
            metavar="DIR",
            help="keys, logs and run.json of this stack (default: AURA_HOME); with another one, a second stack can run",
        )
    test = verbs.add_parser(
        "test",
        prog="infra/test",
        usage="infra/test [unit | vllm | phone] [PYTEST ARGUMENTS]",
        description="Set up what is missing, then run the checks and all tests. With `unit`: only the tests that need "
        "no stack. With `vllm`: only those that need torch or vLLM. With `phone`: only those that ring up. "
        "With arguments: only pytest, with these arguments.",
    )
    test.set_defaults(run_dir=None)
    return parser
