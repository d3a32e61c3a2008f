"""What the commands that need one checkpoint and no server have in common."""

import argparse
from pathlib import Path
from typing import Any

from pipeline.engines.machine import has_gpu, placed
from pipeline.errors import ConfigError
from pipeline.models.weight_files import BYTES


def add_model(parser: argparse.ArgumentParser, checkpoint: str) -> None:
    """The options that choose a checkpoint.

    Args:
        checkpoint: Its name as it is published.
    """
    where = f"folder of the checkpoint ($AURA_HOME/models/{checkpoint})"
    parser.add_argument("--model", type=Path, metavar="DIR", help=where)
    parser.add_argument(
        "--dtype", default="", choices=("", *BYTES), help="of the weights (bfloat16 on a GPU, float32 without one)"
    )


def model_of(arguments: argparse.Namespace, home: Path, checkpoint: str) -> Path:
    """
    Raises:
        ConfigError: It is no folder.
    """
    model: Path = arguments.model or home / "models" / checkpoint
    if not model.is_dir():
        raise ConfigError("--model", [f"{model} is no folder"])
    return model


def engine_args(command: str, dtype: str, **on_cpu: Any) -> dict[str, Any]:
    """What vLLM is told of this machine.

    Args:
        dtype: Of the weights; empty: what suits the machine.
        on_cpu: More that it is told where there is no GPU.

    Raises:
        ConfigError: torch is not installed.
    """
    gpu = has_gpu(command)
    return {"dtype": dtype or ("bfloat16" if gpu else "float32"), **placed(gpu, **on_cpu)}


def check_out(out: Path) -> None:
    """Whether it can be written, before minutes of work.

    Raises:
        ConfigError: It cannot.
    """
    existed = out.exists()
    try:
        out.open("ab").close()
    except OSError as error:
        raise ConfigError("--out", [f"{out} cannot be written: {error.strerror}"]) from error
    if not existed:
        out.unlink()
