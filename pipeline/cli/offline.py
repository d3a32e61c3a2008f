"""What the commands that need one checkpoint and no server have in common."""

import argparse
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any

from pipeline.engines.vllm.placement import has_gpu, placed
from pipeline.errors import ConfigError
from pipeline.models.shared.weight_files import BYTES

VLLM_SAYS = {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_LOGGING_STREAM": "ext://sys.stderr"}


def keep_stdout_for_results(environ: MutableMapping[str, str]) -> None:
    """Of vLLM, which asks only the environment, nothing is said but errors, and on stderr, unless it says otherwise."""
    for name, value in VLLM_SAYS.items():
        environ.setdefault(name, value)


def add_model(parser: argparse.ArgumentParser, checkpoint: str) -> None:
    """The options that choose a checkpoint.

    Args:
        checkpoint: Its name as it is published.
    """
    where = f"the folder of the checkpoint itself ({checkpoint}, where the models are)"
    parser.add_argument("--model", type=Path, metavar="DIR", help=where)
    add_model_dir(parser)
    parser.add_argument("--dtype", choices=BYTES, help="of the weights (bfloat16 on a GPU, float32 without one)")


def add_model_dir(parser: argparse.ArgumentParser) -> None:
    where = "where the models are ($AURA_HOME/models)"
    parser.add_argument("--model-dir", "--models-dir", type=Path, metavar="DIR", help=where)


def model_of(arguments: argparse.Namespace, home: Path, checkpoint: str) -> Path:
    """
    Raises:
        ConfigError: It is no folder.
    """
    if arguments.model and arguments.model_dir:
        raise ConfigError("--model", ["it is the folder of the checkpoint itself: --model-dir says nothing beside it"])
    model: Path = arguments.model or (arguments.model_dir or home / "models") / checkpoint
    if not model.is_dir():
        raise ConfigError("--model-dir" if arguments.model_dir else "--model", [f"{model} is no folder"])
    return model


def misplaced(arguments: argparse.Namespace, names: Iterable[str], why: str) -> list[str]:
    """A fault for each of these options that is there all the same; none of them may have a default."""
    return [f"--{name.replace('_', '-')} {why}" for name in names if getattr(arguments, name) is not None]


def engine_args(command: str, dtype: str | None, **on_cpu: Any) -> dict[str, Any]:
    """What vLLM is told of this machine.

    Args:
        dtype: Of the weights; None: what suits the machine.
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
