"""Loads the model that hears whether somebody has finished, where its weights are there."""

import logging
from pathlib import Path

from pipeline.engines.smart_turn.model import NAME, SmartTurnModel
from pipeline.errors import ConfigError

log = logging.getLogger(__name__)


def end_of_turn_model(models_dir: Path) -> SmartTurnModel | None:
    """Smart Turn; None, with a line in the log, where it cannot be loaded: turns can do without it."""
    try:
        return SmartTurnModel(models_dir / NAME)
    except ConfigError as error:
        log.warning("ends of turns are told by silence and words alone: %s", error)
        return None
