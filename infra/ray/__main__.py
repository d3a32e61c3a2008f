"""Deploys cells on a Ray cluster: `python -m infra.ray --address ADDRESS --places N -- aura-pipeline serve …`.

SIGTERM takes them away again, each when its last call has ended or its time is over.
"""

import argparse
import os
import signal
import socket
import sys
import time
from pathlib import Path

import ray
from ray import cloudpickle, serve

from infra.launcher.supervise.leftovers import MARK
from infra.ray import router
from infra.ray.cell import application
from infra.ray.settings import CellSettings

NAME = "aura"
CONNECT_S = 5.0
POLL_S = 0.5
PASSED_ON = ("AURA_", "HF_", "PYTHONPATH")  # but no `MARK`: a cell ends with its replica, not with a launcher's stack


def main(argv: list[str]) -> None:
    asked, server = argv, []
    if "--" in argv:
        at = argv.index("--")
        asked, server = argv[:at], argv[at + 1 :]
    options = _parser().parse_args(asked)
    here = str(Path(__file__).resolve().parents[2])  # the same on every host, as the stack's venv is
    ray.init(
        address=options.address, namespace=NAME, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": here}}
    )
    cells = options.cells or _room_for(options.gpus)
    settings = CellSettings(
        argv=tuple(server),
        env={name: value for name, value in os.environ.items() if name.startswith(PASSED_ON) and name != MARK},
        places=options.places,
        gpus=options.gpus,
        fewest=cells,
        most=max(cells, options.most_cells or 0),
        longest_call_s=options.longest_call_s,
    )
    cloudpickle.register_pickle_by_value(router)  # a proxy does not see this checkout
    _end_if_unused()
    serve.start(http_options={"host": options.host, "port": options.port}, proxy_location="EveryNode")
    _check_address(options.host, options.port)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    try:
        serve.run(application(settings), name=NAME, route_prefix="/")
        print(f"{settings.fewest} cells are ready: http://{options.host}:{options.port}", flush=True)
        signal.pause()
    finally:
        _delete()


def _room_for(gpus: float) -> int:
    """Return how many cells the cluster holds, at least one: Serve waits for what that needs."""
    there = ray.cluster_resources().get("GPU", 0) / gpus if gpus else len(ray.nodes())
    return max(1, int(there))


def _delete() -> None:
    """Take the cells away; returns when they have gone, each with its last call."""
    serve.delete(NAME, _blocking=False)  # it would give up after a minute
    while NAME in serve.status().applications:
        time.sleep(POLL_S)
    _end_if_unused()


def _end_if_unused() -> None:
    """Serve, once started, keeps to its first address, whatever the next start says."""
    if not serve.status().applications:
        serve.shutdown()


def _check_address(host: str, port: int) -> None:
    """Ends this process, in words, if Serve was there already and listens elsewhere."""
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError:
        there = ", ".join(serve.status().applications)
        sys.exit(
            f"Serve of this cluster runs already, for {there}, and does not listen at {host}:{port}: name its address "
            "with AURA_PIPELINE_HOST and AURA_PIPELINE_PORT, or end it with `serve shutdown`"
        )


def _end(*_: object) -> None:
    sys.exit(0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.ray", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--address", default="auto", help="the cluster's, as of `ray start`")
    parser.add_argument("--host", default="127.0.0.1", help="where Serve's proxies listen")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--cells", type=int, help="the fewest (one a GPU, or a host where they need none)")
    parser.add_argument("--most-cells", type=int, help="the most; as many as there are at least unless it is said")
    parser.add_argument("--places", type=int, default=16, help="callers at once in a cell: its --max-sessions")
    parser.add_argument("--gpus", type=float, default=0, help="of a cell; 1 for the profile vllm")
    parser.add_argument(
        "--longest-call-s", type=float, default=3_600.0, help="how long a cell to go waits for its calls"
    )
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
