"""Reads the command line and the environment, once, into settings."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.base.profile_names import known_profiles
from infra.launcher.base.settings import EMBEDDED, EMBEDDED_CHAT, ON_GPUS, LauncherSettings, OnGpus
from infra.launcher.cli.cell_arguments import cell_options, check_join
from infra.launcher.cli.for_others import VARIABLES as OF_OTHERS
from infra.launcher.cli.for_others import add_for_others, for_others
from infra.launcher.cli.phone_arguments import phone_options
from infra.launcher.supervise.phone_services import trunk_options
from infra.launcher.supervise.ports import VARIABLES, asked_ports

UP_HELP = f"""\
environment:
  AURA_HOME            what set-up makes: tools, venv, models (default: .aura in the checkout)
  AURA_RUN_DIR         the same as --run-dir
  {", ".join(VARIABLES.values())}
                       ports; free ones unless set
  AURA_WEB_HOSTS       names of the page's server, with commas, if a proxy stands before it
  AURA_WEB_PROXIES     addresses of proxies, with commas, that are believed when they say who asks
  AURA_WEB_EMBED       origins, with commas, whose pages may show the page in a frame
  AURA_WEB_BRAND       a TOML file with the page's name, colours, words and logo
  AURA_PIPELINE_HOST   the address of this machine at which the pipeline listens (default: 127.0.0.1)
  AURA_CELLS           URLs of the pipelines of all cells, with commas
  AURA_AGENT_DRAIN_S   how long running calls may go on when this is to end (default: 0)
  AURA_LIVEKIT_STUN    with --host: STUN servers that other devices are told of, with commas (default: none)
  AURA_LIVEKIT_REDIS   HOST:PORT of the Redis that several LiveKit servers share
  AURA_SIP_HOST        with --phone: the address of this machine at which phones reach it (default: 127.0.0.1; with
                       --host, the one on which that listens)
  AURA_SIP_ENCRYPTION  with --phone: require, allow or none (default: with --host require: TLS and SRTP)
  AURA_SIP_NUMBERS     with --phone: the numbers that reach the agent, with commas (default: 100)
  AURA_SIP_ADDRESSES   with --phone: the addresses that may call (default: 127.0.0.1/32; with --host all)
  AURA_SIP_CARRIER_ROOT  with --phone: who vouches for the carrier over TLS, PEM (default: whom this machine trusts)
  AURA_SIP_OPERATOR    with --phone: who is reached with the key 0, as a SIP or tel URI
  HF_ENDPOINT          the model hub that --hub asks
  HF_TOKEN             the token for it, if it wants one
"""
OF_VLLM, FLAGS = ("model_dir", "stage_configs_path", "vllm_venv"), ("hub", "phone")
# Variables that name a file or a folder; and those that name some with commas between them.
PATHS = ("AURA_PERSONA", "AURA_WEB_BRAND", "AURA_MCP", "AURA_NOTES", "AURA_RECORDS", "AURA_SIP_CARRIER_ROOT")
LISTS = ("AURA_PERSONAS",)
VALUES = ("profile", *OF_VLLM, "max_sessions", "join", "ray")  # of a stack, as the flags


def read_settings(root: Path, arguments: list[str], environ: Mapping[str, str]) -> LauncherSettings:
    """The settings of this call.

    Raises:
        BadUsage: An argument or a variable makes no sense.
        SystemExit: `--help` was answered.
    """
    rest = arguments[1:] if arguments[:1] == ["test"] and "--help" not in arguments else []  # pytest knows its own
    asked = _parser().parse_args(arguments[: len(arguments) - len(rest)])
    home = Path(os.path.abspath(environ.get("AURA_HOME") or root / ".aura"))
    layout = Layout(root, home, Path(os.path.abspath(asked.run_dir or environ.get("AURA_RUN_DIR") or home)))
    of_stack = environ = _with_whole_paths(environ)
    if asked.verb != "up":
        of_stack = {}  # whoever stops one has nothing to ask of it
    ports = asked_ports(of_stack)
    profile = asked.profile or EMBEDDED
    if profile not in (known := known_profiles(layout, environ, asked.vllm_venv)):
        hint = "; set AURA_LLM_URL, and `embedded` asks that server" if profile == EMBEDDED_CHAT else ""
        raise BadUsage(f"unknown profile `{profile}`; there is: {', '.join(known)}{hint}")
    if asked.max_sessions is not None and asked.max_sessions < 1:
        raise BadUsage(f"--max-sessions is {asked.max_sessions}, at least 1 is needed")
    on_gpus = _on_gpus(asked, profile, layout.models)
    others = for_others(asked, environ)
    phone = phone_options(environ, others) if asked.phone else None
    if asked.join is not None:
        check_join(asked.join, layout, phone=asked.phone, outside=others is not None)
    return LauncherSettings(
        verb=asked.verb,
        layout=layout,
        environ=environ,
        ports=ports,
        ci=environ.get("CI", "").lower() in ("1", "true"),
        profile=profile,
        max_sessions=asked.max_sessions,
        detach=asked.detach,
        hub=asked.hub,
        phone=phone,
        on_gpus=on_gpus,
        deployment=None if on_gpus else _deployment(asked),
        for_others=others,
        join=asked.join or "",
        cell=cell_options(of_stack, phone=asked.phone, ray=asked.ray or "", max_sessions=asked.max_sessions),
        rest=tuple(rest),
        asked=_for_a_stack(asked, ports, environ) | (others.options() if others else {}),
    )


def _with_whole_paths(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for the parts, which run in another folder: paths are named as seen from this one."""
    paths = {name: _whole(path) for name in PATHS if (path := environ.get(name, "").strip())}
    lists = {name: ",".join(map(_whole, some.split(","))) for name in LISTS if (some := environ.get(name, "").strip())}
    return {**environ, **paths, **lists}


def _whole(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path.strip())) if path.strip() else ""


def _on_gpus(asked: argparse.Namespace, profile: str, default: Path) -> OnGpus | None:
    """Reads the arguments of a profile on GPUs, ours or a package's that is given any of them; None for any other.

    Args:
        default: Where checkpoints from the hub go if nothing is said.

    Raises:
        BadUsage: A path is missing, is not there, or is none of the profile's.
    """
    given = any(getattr(asked, name) for name in OF_VLLM)
    if profile == EMBEDDED and given:
        told = "--model-dir, --stage-configs-path and --vllm-venv"
        raise BadUsage(f"{told} are for --profile {' or '.join(ON_GPUS)}, and for profiles of packages")
    if profile not in ON_GPUS and (not given or _only_its_file(asked)):
        return None
    if asked.model_dir is None and not asked.hub:
        raise BadUsage(
            f"--profile {profile} needs --model-dir DIR, which holds a folder for each checkpoint, "
            "or --hub, which fetches them"
        )
    on_gpus = OnGpus(asked.model_dir or default, _deployment(asked), asked.vllm_venv)
    if not on_gpus.models.is_dir() and (on_gpus.models.exists() or not asked.hub):
        raise BadUsage(f"--model-dir: {on_gpus.models} is no folder")
    if on_gpus.venv and not (on_gpus.venv / "bin" / "aura-pipeline").is_file():
        raise BadUsage(f"--vllm-venv: {on_gpus.venv} has no bin/aura-pipeline: install AURA there, beside vLLM")
    return on_gpus


def _only_its_file(asked: argparse.Namespace) -> bool:
    """Whether a package's pipeline is told its deployment and nothing of GPUs: it runs where small models do."""
    return not (asked.model_dir or asked.vllm_venv or asked.hub)


def _deployment(asked: argparse.Namespace) -> Path | None:
    """Raises BadUsage if the file is not there."""
    file: Path | None = asked.stage_configs_path
    if file and not file.is_file():
        raise BadUsage(f"--stage-configs-path: {file} is no file")
    return file


def _for_a_stack(asked: argparse.Namespace, ports: Mapping[str, int], environ: Mapping[str, str]) -> dict[str, str]:
    given = {name: getattr(asked, name) for name in VALUES}
    values = {f"--{name.replace('_', '-')}": str(value) for name, value in given.items() if value is not None}
    flags = {f"--{name}": "" for name in FLAGS if getattr(asked, name)}
    phone = trunk_options(environ) if asked.phone else {}
    return {**values, **flags, **phone, **{VARIABLES[name]: str(port) for name, port in ports.items()}}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadUsage(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="infra", allow_abbrev=False)
    nothing = dict.fromkeys((*VALUES, *OF_OTHERS, "run_dir")) | dict.fromkeys(
        (*FLAGS, "detach"), False
    )  # of verbs without them
    parser.set_defaults(**nothing)
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser(
        "up",
        prog="infra/up",
        allow_abbrev=False,
        description="Set up what is missing, and run AURA.",
        epilog=UP_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    vllm = f"with --profile {' or '.join(ON_GPUS)}, or a package's:"
    up.add_argument("--profile", metavar="NAME", help=f"which models (default: {EMBEDDED})")
    up.add_argument("--model-dir", type=_absolute, metavar="DIR", help=f"{vllm} where its checkpoints are")
    up.add_argument(
        "--stage-configs-path",
        type=_absolute,
        metavar="FILE",
        help=f"{vllm} its deployment (the shipped one that fits)",
    )
    up.add_argument(
        "--vllm-venv",
        type=_absolute,
        metavar="DIR",
        help=f"{vllm} a venv of yours with vLLM and AURA (one is made, for NVIDIA's GPUs)",
    )
    up.add_argument("--max-sessions", type=int, metavar="N", help="most callers at a time")
    up.add_argument("--detach", action="store_true", help="return when it runs; infra/down stops it")
    up.add_argument("--phone", action="store_true", help="take phone calls, too: with a SIP bridge")
    add_for_others(up)
    up.add_argument("--join", metavar="URL", help="be a cell of the installation whose LiveKit server is there")
    up.add_argument("--ray", metavar="ADDRESS", help="run the pipelines on that Ray cluster: a cell each of its GPUs")
    up.add_argument("--hub", action="store_true", help="fetch the weights that lack from the model hub")
    down = verbs.add_parser("down", prog="infra/down", allow_abbrev=False, description="Stop what infra/up runs.")
    for verb in (up, down):
        verb.add_argument(
            "--run-dir",
            metavar="DIR",
            help="keys, logs and run.json of this stack (default: AURA_HOME); with another one, a second stack can run",
        )
    verbs.add_parser(
        "test",
        prog="infra/test",
        usage="infra/test [unit | vllm | phone] [PYTEST ARGUMENTS]",
        description="Set up what is missing, then run the checks and all tests. With `unit`: only the tests that need "
        "no stack. With `vllm`: only those that need torch or vLLM. With `phone`: only those that ring up. "
        "With arguments: only pytest, with these arguments.",
    )
    return parser


def _absolute(text: str) -> Path:
    return Path(text).resolve()
