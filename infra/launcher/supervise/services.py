"""The services of the stack as a table: what is run, in which order, and how each says that it is healthy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from infra.free_ports import LOOPBACK
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import ALONE, EMBEDDED, CellOptions, ForOthers, OnGpus, PhoneOptions
from infra.launcher.supervise.for_others import livekit_network
from infra.launcher.supervise.phone_services import bridge_service, livekit_redis, private, redis_service, shared_redis
from infra.launcher.supervise.ports import Ports
from infra.launcher.supervise.service import Service

OF_A_CELL = ("pipeline", "agent")  # that joins an installation: it has its page and its LiveKit server
# The environment of what is started stays the operator's: each cell's server gets it.
RAY = "import sys; sys.path.insert(0, sys.argv.pop(1)); from infra.ray.__main__ import main; main(sys.argv[1:])"
SMALL_START_S, GPU_START_S = 180, 1_200  # weights from a slow disk, and what vLLM compiles at the first start


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the stack will answer."""

    url: str
    pipeline_url: str
    livekit_url: str


def addresses(ports: Ports, host: str = LOOPBACK, join: str = "") -> Addresses:
    """Those of a stack whose pipeline listens at `host`, or of a cell that joins the LiveKit server at `join`."""
    pipeline = f"http://{f'[{host}]' if ':' in host else host}:{ports.pipeline}"
    page = f"http://{LOOPBACK}:{ports.web}/"
    return Addresses(pipeline if join else page, pipeline, join or f"ws://{LOOPBACK}:{ports.livekit}")


# Reading the tools takes a small model on a CPU eight seconds before its first answer, and it hardly calls them.
OF_SMALL_MODELS = {"AURA_BUILTIN_TOOLS": "none"}


def agent_environ(
    layout: Layout, ports: Ports, keys: Mapping[str, str], where: Addresses | None = None
) -> dict[str, str]:
    """What our own programs need to know of the stack."""
    where = where or addresses(ports)
    return {
        **keys,
        "AURA_HOME": str(layout.home),
        "AURA_AGENT_PORT": str(ports.agent),
        "AURA_PIPELINE_URL": where.pipeline_url,
        "AURA_SIP_APOLOGY": str(layout.apology),
        "LIVEKIT_URL": where.livekit_url,
        "PYTHONUNBUFFERED": "1",
    }


def stack_services(
    layout: Layout,
    ports: Ports,
    keys: Mapping[str, str],
    max_sessions: int | None,
    *,
    phone: PhoneOptions | None,
    profile: str = EMBEDDED,
    on_gpus: OnGpus | None = None,
    deployment: Path | None = None,
    outside: Mapping[str, str] | None = None,
    cell: CellOptions = ALONE,
    join: str = "",
) -> tuple[Service, ...]:
    """The four services, or six with phones, or two of a cell that joins, in the order in which they start.

    Args:
        deployment: Of a pipeline that runs on no GPU; None: the one that comes with it.
        outside: What the page's server is told of other devices.
    """
    where = addresses(ports, cell.host, join)
    ours = agent_environ(layout, ports, keys, where)
    scripts = layout.venv / "bin"
    parts = (
        *((redis_service(layout, ports),) if phone else ()),
        Service(
            name="livekit-server",
            argv=(str(layout.program("livekit-server")), "--config", str(layout.run / "livekit.yaml")),
            env={"LIVEKIT_KEYS": f'"{keys["LIVEKIT_API_KEY"]}": "{keys["LIVEKIT_API_SECRET"]}"'},
            health=f"http://{LOOPBACK}:{ports.livekit}/",
            start_s=15,
            stop_s=5,
        ),
        _pipeline(layout, ports, ours, max_sessions, profile, on_gpus, deployment, cell),
        Service(
            name="agent",
            argv=(str(scripts / "aura-agent"), "start"),
            env={**ours, "AURA_AGENT_JOBS": str(layout.run / "agent-jobs.json")},
            health=f"http://{LOOPBACK}:{ports.agent}/health",
            start_s=60,
            stop_s=15 + cell.drain_s,
            comes_back=True,
            defaults={"AURA_AGENT_DRAIN_S": "0", **({} if on_gpus else OF_SMALL_MODELS)},
        ),
        Service(
            name="web",
            argv=(
                *(str(scripts / "aura-agent"), "web", "--host", LOOPBACK, "--port", str(ports.web)),
                *("--static", str(layout.page)),
            ),
            env={**ours, "AURA_WEB_FEEDBACK": str(layout.run / "feedback.jsonl"), **(outside or {})},
            health=f"{where.url}health",
            start_s=30,
            stop_s=5,
            comes_back=True,
        ),
        *((bridge_service(layout, ports, keys, phone),) if phone else ()),
    )
    return tuple(part for part in parts if not join or part.name in OF_A_CELL)


def _pipeline(
    layout: Layout,
    ports: Ports,
    env: Mapping[str, str],
    max_sessions: int | None,
    profile: str,
    on_gpus: OnGpus | None,
    deployment: Path | None,
    cell: CellOptions,
) -> Service:
    """What hears, thinks and speaks: with small models, as a package says, or on GPUs."""
    venv, models = (on_gpus.venv_in(layout), on_gpus.models) if on_gpus else (layout.venv, layout.models)
    listens = {"--host": cell.host, "--port": ports.pipeline}
    options = {
        "--profile": profile,
        "--stage-configs-path": on_gpus.deployment if on_gpus else deployment,
        "--models-dir": models,
        **({} if cell.ray else listens),
        "--max-sessions": max_sessions,
    }
    argv = (str(venv / "bin" / "aura-pipeline"), "serve", *_words(options))
    if cell.ray:  # Serve listens, and each of its replicas has the server choose a port
        serves = {
            "--address": cell.ray,
            "--places": max_sessions,
            "--gpus": int(on_gpus is not None),
            "--longest-call-s": cell.drain_s,
            **listens,
        }
        argv = (str(layout.ray_venv / "bin" / "python"), "-c", RAY, str(layout.root), *_words(serves), "--", *argv)
    return Service(
        name="pipeline",
        argv=argv,
        env=env,
        health=f"{addresses(ports, cell.host).pipeline_url}/ready",
        start_s=GPU_START_S if on_gpus else SMALL_START_S,
        stop_s=(28 if on_gpus else 18)
        + (cell.drain_s + 30 if cell.ray else 0),  # 8 of them for answers that are being heard
        comes_back=True,
    )


def _words(options: Mapping[str, object]) -> Iterator[str]:
    """The options that are given, as words of a command line."""
    return (word for name, value in options.items() if value is not None for word in (name, str(value)))


def write_livekit_settings(
    layout: Layout,
    ports: Ports,
    keys: Mapping[str, str],
    *,
    phone: bool,
    others: ForOthers | None = None,
    cell: CellOptions = ALONE,
) -> None:
    """Fill ports and addresses into `infra/livekit/livekit.yaml`."""
    template = Template((layout.root / "infra" / "livekit" / "livekit.yaml").read_text())
    known = {"livekit": ports.livekit, "livekit_tcp": ports.livekit_tcp, "livekit_udp": ports.livekit_udp}
    text = template.substitute(known, **livekit_network(others, ports))
    redis = livekit_redis(ports, keys) if phone else shared_redis(cell) if cell.redis else ""
    private(layout.run / "livekit.yaml", text + redis)
