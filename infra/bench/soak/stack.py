"""The parts of a soak: Redis, a LiveKit server that uses it, a pipeline, and a worker of the agent's."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agent.settings.agent import LiveKitSettings
from infra.bench.base.process_tree import family
from infra.bench.soak.embedded import writers
from infra.bench.soak.part import LOOKS_S, START_S, Part, PartCommand
from infra.bench.turn_taking.servers import AGENT, HOST, KEY, SECRET, Rooms
from infra.free_ports import free_ports

ALL = ("redis", "livekit", "pipeline", "agent")
PORTS = 5  # that a stack has: Redis's, LiveKit's two, the pipeline's, the worker's
PIPELINE_KEY = "a-key-of-this-soak"
SCRIPTED = (sys.executable, "-m", "infra.bench.soak.scripted_pipeline")
OUR_OWN = ("AURA_", "LIVEKIT_", "OTEL_")

EmbeddedCommand = Callable[[int], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SoakedStack:
    """What runs, by name: `redis`, `livekit`, `pipeline`, `agent`.

    Attributes:
        scripted: The pipeline's engines are.
    """

    parts: dict[str, Part]
    rooms: Rooms
    pipeline_url: str
    metrics: dict[str, str]
    scripted: bool

    def pids(self) -> dict[str, int]:
        """Those that the parts have now."""
        return {name: part.pid for name, part in self.parts.items()}

    def jobs(self) -> list[int]:
        """The pids of processes that hold a call, or wait for one: the newest last."""
        worker = self.parts["agent"].pid
        return [process.pid for process in family(worker) if process.pid != worker and "job" in process.title]

    async def fail_engine(self, failed: Callable[[], None]) -> None:
        """Scripted engines have answers fail for a while; of real ones the process that writes is killed.

        Args:
            failed: Is told as soon as that has happened; not, if there is none to be killed.

        Raises:
            RuntimeError: No other process has taken its place.
        """
        pipeline = self.parts["pipeline"]
        if self.scripted:
            pipeline.signal(signal.SIGUSR1)
            failed()
            return
        killed = {pid for pid in self._writers() if _killed(pid)}
        if not killed:
            return
        failed()
        try:
            async with asyncio.timeout(START_S):
                while not self._writers() - killed:  # until then the pipeline may not know, and say that all is well
                    await asyncio.sleep(LOOKS_S)
        except TimeoutError:
            raise RuntimeError(f"no other process writes {START_S:g} s after the last one was killed") from None
        await pipeline.healthy()

    def fail_job(self, failed: Callable[[], None]) -> None:
        """A process that holds a call, or waits for one, is killed.

        Args:
            failed: As above.
        """
        if (jobs := self.jobs()) and _killed(random.choice(jobs)):
            failed()

    def _writers(self) -> set[int]:
        return set(writers(family(self.parts["pipeline"].pid)))


def _killed(pid: int) -> bool:
    """Whether it was there to be killed."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


@asynccontextmanager
async def soaked_stack(
    home: Path,
    folder: Path,
    names: Sequence[str] = ALL,
    embedded: EmbeddedCommand | None = None,
    ports: Sequence[int] | None = None,
) -> AsyncGenerator[SoakedStack, None]:
    """The parts of these names for as long as the context lasts.

    Args:
        home: The installation whose programs are used.
        folder: For logs.
        embedded: What serves real models at a port; None: engines are scripted.
        ports: So many as `PORTS`, which nobody has; None: some are found.
    """
    redis, livekit, tcp, pipeline, worker = ports or free_ports(PORTS)
    settings = (
        f"port: {livekit}\nbind_addresses: [{HOST}]\nkeys: {{{KEY}: {SECRET}}}\n"
        f"redis: {{address: '{HOST}:{redis}'}}\nlogging: {{level: warn}}\n"
        f"rtc: {{tcp_port: {tcp}, udp_port: {tcp}, node_ip: {HOST}, enable_loopback_candidate: true, "
        "interfaces: {includes: [lo]}}\n"
    )
    url = f"ws://{HOST}:{livekit}"
    environ = {name: value for name, value in os.environ.items() if not name.startswith(OUR_OWN)} | {
        "AURA_HOME": str(folder),
        "AURA_PIPELINE_URL": f"http://{HOST}:{pipeline}",
        "AURA_PIPELINE_KEY": PIPELINE_KEY,
        "AURA_AGENT_NAME": AGENT,
        "AURA_AGENT_PORT": str(worker),
        "AURA_AGENT_IDLE_PROCESSES": "1",
        "AURA_AGENT_GRACE_S": "5",
        "LIVEKIT_URL": url,
        "LIVEKIT_API_KEY": KEY,
        "LIVEKIT_API_SECRET": SECRET,
    }
    http = {"livekit": livekit, "pipeline": pipeline, "agent": worker}
    commands = {
        "redis": (str(home / "bin" / "redis-server"), "--port", str(redis), "--bind", HOST, "--save", ""),
        "livekit": (str(home / "bin" / "livekit-server"), "--config-body", settings),
        "pipeline": embedded(pipeline) if embedded else (*SCRIPTED, str(pipeline)),
        "agent": (sys.executable, "-m", "agent.main", "start"),
    }
    health = {
        "redis": f"tcp:{redis}",
        "livekit": f"http://{HOST}:{livekit}/",
        "pipeline": f"http://{HOST}:{pipeline}/ready",
        "agent": f"http://{HOST}:{worker}/health",
    }
    async with AsyncExitStack() as stack:
        parts = {}
        for name in names:
            log = folder / f"{name}.log"
            log.unlink(missing_ok=True)
            parts[name] = part = Part(PartCommand(name, commands[name], environ, health[name], log))
            stack.push_async_callback(part.stop)
            await part.start()
        metrics = {name: f"http://{HOST}:{http[name]}/metrics" for name in ("pipeline", "agent") if name in names}
        rooms = Rooms(LiveKitSettings(url, KEY, SECRET, AGENT))
        yield SoakedStack(parts, rooms, environ["AURA_PIPELINE_URL"], metrics, scripted=embedded is None)
