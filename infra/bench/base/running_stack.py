"""The stack that runs on this machine, for benches of it: where it is, and the key to its pipeline."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Holds what runs, and the API key of its pipeline."""

    running: Running
    key: str


def add_run_dir(parser: argparse.ArgumentParser, home: str | None) -> None:
    """Gives a bench the option that says which stack is meant.

    Args:
        home: The installation's folder, from `AURA_HOME`.
    """
    folder = Path(home or ROOT / ".aura")
    parser.set_defaults(home=folder)
    parser.add_argument("--run-dir", type=Path, default=folder, metavar="DIR", help="where the stack's run.json is")


def running_stack(asked: argparse.Namespace) -> RunningStack:
    """The stack that is meant.

    Raises:
        SystemExit: None does there: the program ends with 1, and says so.
    """
    layout = Layout(ROOT, asked.home, asked.run_dir)
    running = read_run_file(layout.run_file)
    if running is None:
        raise SystemExit(f"nothing runs in {asked.run_dir}: start infra/up first")
    return RunningStack(running, installation_keys(layout.env_file)["AURA_PIPELINE_KEY"])
