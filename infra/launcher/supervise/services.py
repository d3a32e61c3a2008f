"""The parts of the stack as a table: what is run, in which order, and how each says that it is healthy."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from infra.launcher.base.layout import Layout
from infra.launcher.cli.gpu_options import OnGpus
from infra.launcher.supervise.phone_services import bridge_part, livekit_redis, private, redis_part
from infra.launcher.supervise.pipeline_service import pipeline_part
from infra.launcher.supervise.ports import LOOPBACK, Ports
from infra.launcher.supervise.service import Part


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


def agent_environ(layout: Layout, ports: Ports, keys: Mapping[str, str]) -> dict[str, str]:
    """What our own programs need to know of the stack."""
    where = addresses(ports)
    return {
        **keys,
        "AURA_HOME": str(layout.home),
        "AURA_AGENT_PORT": str(ports.agent),
        "AURA_PIPELINE_URL": where.pipeline_url,
        "AURA_SIP_APOLOGY": str(layout.apology),
        "LIVEKIT_URL": where.livekit_url,
        "PYTHONUNBUFFERED": "1",
    }


def stack_parts(
    layout: Layout,
    ports: Ports,
    keys: Mapping[str, str],
    max_sessions: int | None,
    *,
    phone: bool,
    on_gpus: OnGpus | None = None,
) -> tuple[Part, ...]:
    """The four parts, or six with phones, in the order in which they start."""
    where, ours = addresses(ports), agent_environ(layout, ports, keys)
    scripts = layout.venv / "bin"
    limit = () if max_sessions is None else ("--max-sessions", str(max_sessions))
    return (
        *((redis_part(layout, ports),) if phone else ()),
        Part(
            name="livekit-server",
            argv=(str(layout.livekit_server), "--config", str(layout.run / "livekit.yaml")),
            env={"LIVEKIT_KEYS": f'"{keys["LIVEKIT_API_KEY"]}": "{keys["LIVEKIT_API_SECRET"]}"'},
            health=f"http://{LOOPBACK}:{ports.livekit}/",
            start_s=15,
            stop_s=5,
        ),
        pipeline_part(layout, ports, ours, on_gpus, *limit),
        Part(
            name="agent",
            argv=(str(scripts / "aura-agent"), "start"),
            env={**ours, "AURA_AGENT_JOBS": str(layout.run / "agent-jobs.json")},
            health=f"http://{LOOPBACK}:{ports.agent}/health",
            start_s=60,
            stop_s=15,
            comes_back=True,
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
            comes_back=True,
        ),
        *((bridge_part(layout, ports, keys),) if phone else ()),
    )


def write_livekit_settings(layout: Layout, ports: Ports, keys: Mapping[str, str], *, phone: bool) -> None:
    """Fill the ports into `infra/livekit/livekit.yaml`."""
    template = Template((layout.root / "infra" / "livekit" / "livekit.yaml").read_text())
    text = template.substitute(livekit=ports.livekit, livekit_tcp=ports.livekit_tcp, livekit_udp=ports.livekit_udp)
    private(layout.run / "livekit.yaml", text + (livekit_redis(ports, keys) if phone else ""))
