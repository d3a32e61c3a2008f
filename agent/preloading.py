"""The process of which LiveKit makes every job's by a fork: started before the worker has even been imported."""

from collections.abc import Callable
from multiprocessing import forkserver

from agent.job_processes import held_back

MODULES = ("agent.job",)
LIVEKITS_OWN = ("livekit.agents.ipc._preload", "livekit.agents.ipc._preload_freeze")  # it asks for these, in this order
PLAIN = "ws://"


def start_preloading(livekit_url: str, start: Callable[[], None] = forkserver.ensure_running) -> None:
    """Have it import what a call needs while this process imports as much: one after the other takes twice as long.

    A server that is reached over TLS is left to LiveKit, which on some machines must first say where the certificates
    are.
    """
    if livekit_url.startswith(PLAIN):
        forkserver.set_forkserver_preload([*MODULES, *LIVEKITS_OWN])
        with held_back():
            start()
