"""Titles of engines' processes, by which `ps` and `nvidia-smi` tell them apart: engines start side by side."""

from multiprocessing import current_process

ENGINE = "EngineCore"  # as vLLM names the process of an engine


def name_engine(stage: str) -> None:
    """Adds the stage to the title of an engine's process, if that computes its model itself."""
    if current_process().name.startswith(ENGINE):
        from vllm.utils.system_utils import set_process_title

        set_process_title(ENGINE, stage)
