"""The options that several commands have, and what cannot be among them."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.models.shared.weight_files import BYTES


def add_model(parser: argparse.ArgumentParser, checkpoint: str) -> None:
    """Adds the options that choose a checkpoint.

    Args:
        checkpoint: Its name as it is published.
    """
    where = f"the folder of the checkpoint itself ({checkpoint}, where the models are)"
    parser.add_argument("--model", type=Path, metavar="DIR", help=where)
    add_model_dir(parser)
    parser.add_argument("--dtype", choices=BYTES, help="of the weights (bfloat16 on a GPU, float32 without one)")


def add_model_dir(parser: argparse.ArgumentParser) -> None:
    """Adds the option that says where all models are."""
    where = "where the models are ($AURA_HOME/models)"
    parser.add_argument("--model-dir", "--models-dir", type=Path, metavar="DIR", help=where)


def model_of(arguments: argparse.Namespace, home: Path, checkpoint: str) -> Path:
    """Returns the folder of the checkpoint that the options choose.

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
    """Finds a fault for each of these options that is there all the same; none of them may have a default."""
    return [f"--{name.replace('_', '-')} {why}" for name in names if getattr(arguments, name) is not None]
