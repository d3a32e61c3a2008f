"""The embedded profile as a soak serves it: the pipeline's own program, with real models."""

import sys
from collections.abc import Iterable
from pathlib import Path

from infra.bench.base.process_tree import LiveProcess
from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.engines.embedded_models import FETCHED, LLAMA_FILES
from pipeline.engines.model_files import model_folder
from pipeline.runtime.profiles import EMBEDDED, PROFILES

WRITER = "pipeline.engines.llamacpp.server.child"  # in the title of the process that writes the answers
PLACES = 2  # for each caller: who hangs up may come again before the last call has gone


def embedded_command(models: Path, port: int, callers: int) -> tuple[str, ...]:
    """What serves that profile.

    Args:
        models: The folder with a folder for each model.
        callers: How many there are at once; it has as many places as it ships with, or more if they need them.
    """
    places = max(_shipped(models).max_sessions, PLACES * callers)
    return (
        *(sys.executable, "-m", "pipeline.cli.main", "serve", "--profile", EMBEDDED, "--port", str(port)),
        *("--model-dir", str(models), "--max-sessions", str(places)),
    )


def language_model(models: Path) -> str:
    """The model that writes the answers there: the profile's own, or the smaller one where that is not.

    Raises:
        ConfigError: Neither is complete.
    """
    profile = PROFILES[EMBEDDED]
    writer = next(stage for stage in profile.topology.stages if stage.model_stage == "aura")
    told = _shipped(models).stage(writer.stage_id).engine_args
    return model_folder(models, (told["model"], told["fallback"]), LLAMA_FILES, FETCHED).name


def writers(family: Iterable[LiveProcess]) -> list[int]:
    """The pids of those processes of a pipeline that write its answers."""
    return [process.pid for process in family if WRITER in process.title]


def _shipped(models: Path) -> Deployment:
    profile = PROFILES[EMBEDDED]
    return read_deployment(profile.deployment, profile.topology, profile.engine_keys(models))
