"""What a worker counts, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest


class WorkerFigures:
    """One worker's figures, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.calls = Gauge("aura_agent_calls", "Calls that it has.", registry=self.registry)
        self.max_calls = Gauge("aura_agent_max_calls", "Calls at which it is full.", registry=self.registry)
        self.registered = Gauge("aura_agent_registered", "1: LiveKit's server knows it.", registry=self.registry)
        self.draining = Gauge("aura_agent_draining", "1: it takes no more calls.", registry=self.registry)
        self.tasks = Gauge("aura_agent_tasks", "Tasks of the event loop.", registry=self.registry)
        self.replaced = Counter("aura_agent_replaced", "Agents called for one that died.", registry=self.registry)

    def page(self) -> bytes:
        return generate_latest(self.registry)
