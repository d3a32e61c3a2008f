"""What tests of the voice share, and those of the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked import ForkedProgram, forked_program
from tests.pipeline.models.qwen3_tts import seeded_codec


@pytest.fixture(scope="session")
def codec_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a checkpoint of which only the speech tokenizer is there."""
    folder = tmp_path_factory.mktemp("voice")
    seeded_codec.write(folder)
    return folder


@pytest.fixture(scope="session")
def aura_pipeline() -> Iterator[ForkedProgram]:
    """The console script."""
    with forked_program("aura-pipeline", "pipeline.cli.main:main") as program:
        yield program
