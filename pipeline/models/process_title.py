"""Titles of engines' processes, by which `ps` and `nvidia-smi` tell them apart: engines start side by side."""

VLLM = "VLLM::"  # as vLLM begins the titles of its processes: an engine's own, or its workers'


def name_engine(stage: str) -> None:
    """Adds the stage to the title of the process that computes a model, if it is one of vLLM's."""
    try:
        from setproctitle import getproctitle, setproctitle
    except ImportError:  # vLLM gives no titles without it, either
        return
    title = getproctitle()
    if title.startswith(VLLM) and not title.endswith(stage):
        setproctitle(f"{title}_{stage}")
