"""What tests of the voice share."""

from pathlib import Path

import pytest

from tests.pipeline.models.qwen3_tts import seeded_codec


@pytest.fixture(scope="session")
def codec_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a checkpoint of which only the speech tokenizer is there."""
    folder = tmp_path_factory.mktemp("voice")
    seeded_codec.write(folder)
    return folder
