"""The parts of the stack as a table: what is run, in which order, and how each says that it is healthy."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from infra.launcher.layout import Layout
from infra.launcher.ports import LOOPBACK, Ports


@dataclass(frozen=True, slots=True)
class Part:
    """One process of the stack.

    Attributes:
        env: What this part needs beside the launcher's own environment.
        health: A URL that answers 200 when the part can serve.
        start_s: Within so many seconds it is healthy.
        stop_s: So many seconds it may take to stop before it is killed.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    health: str
    start_s: float
    stop_s: float


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the stack will answer."""

    url: str
    pipeline_url: str
    livekit_url: str


def addresses(ports: Ports) -> Addresses:
    return Addresses(
        url=f"http://{LOOPBACK}:{ports.web}/",
        pipeline_url=f"http://{LOOPBACK}:{ports.pipeline}",
        livekit_url=f"ws://{LOOPBACK}:{ports.livekit}",
    )


def stack_parts(
    layout: Layout, ports: Ports, keys: Mapping[str, str], profile: str, max_sessions: int | None
) -> tuple[Part, ...]:
    """The four parts, in the order in which they start."""
    where = addresses(ports)
    ours = {
        **keys,
        "AURA_HOME": str(layout.home),
        "AURA_AGENT_PORT": str(ports.agent),
        "AURA_PIPELINE_URL": where.pipeline_url,
        "LIVEKIT_URL": where.livekit_url,
        "PYTHONUNBUFFERED": "1",
    }
    scripts = layout.venv / "bin"
    limit = () if max_sessions is None else ("--max-sessions", str(max_sessions))
    return (
        Part(
            name="livekit-server",
            argv=(str(layout.livekit_server), "--config", str(layout.run / "livekit.yaml")),
            env={"LIVEKIT_KEYS": f'"{keys["LIVEKIT_API_KEY"]}": "{keys["LIVEKIT_API_SECRET"]}"'},
            health=f"http://{LOOPBACK}:{ports.livekit}/",
            start_s=15,
            stop_s=5,
        ),
        Part(
            name="pipeline",
            argv=(
                *(str(scripts / "aura-pipeline"), "serve", "--profile", profile),
                *("--models-dir", str(layout.models), "--host", LOOPBACK, "--port", str(ports.pipeline), *limit),
            ),
            env=ours,
            health=f"{where.pipeline_url}/ready",
            start_s=120,
            stop_s=10,
        ),
        Part(
            name="agent",
            argv=(str(scripts / "aura-agent"), "start"),
            env=ours,
            health=f"http://{LOOPBACK}:{ports.agent}/health",
            start_s=60,
            stop_s=15,
        ),
        Part(
            name="web",
            argv=(
                *(str(scripts / "aura-agent"), "web", "--host", LOOPBACK, "--port", str(ports.web)),
                *("--static", str(layout.page)),
            ),
            env=ours,
            health=f"{where.url}health",
            start_s=30,
            stop_s=5,
        ),
    )


def write_livekit_settings(layout: Layout, ports: Ports) -> Path:
    """Fill the ports into `infra/livekit/livekit.yaml`."""
    template = Template((layout.root / "infra" / "livekit" / "livekit.yaml").read_text())
    path = layout.run / "livekit.yaml"
    path.write_text(
        template.substitute(livekit=ports.livekit, livekit_tcp=ports.livekit_tcp, livekit_udp=ports.livekit_udp)
    )
    return path
