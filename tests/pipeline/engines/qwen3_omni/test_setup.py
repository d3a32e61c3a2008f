"""What a deployment says of Qwen3-Omni is held against its checkpoint before an engine starts."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import numpy as np
import pytest
from safetensors.numpy import save_file

from pipeline.engines.qwen3_omni import setup
from pipeline.engines.qwen3_omni.prompt import OmniPrompt
from pipeline.engines.qwen3_omni.setup import first_thought, open_omni_talker, open_thinker, words_only
from pipeline.engines.vllm.start import VllmBackend
from pipeline.errors import ConfigError
from pipeline.models.qwen3_omni.config import read_omni
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.registry import THINKER
from tests.contract.vllm import tiny_omni
from tests.pipeline.engines.qwen3_omni.omni_bytes import omni_text

NAME = "qwen3_omni"


class Started(Exception):
    """Stands for the engine that would be started, with what it would be told."""

    def __init__(self, stage: str, model: Path, **engine_args: Any) -> None:
        self.stage, self.model, self.engine_args = stage, model, engine_args


async def start(stage: str, model: Path, **engine_args: Any) -> VllmBackend:
    raise Started(stage, model, **engine_args)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "config.json").write_text(json.dumps(tiny_omni.config()))
    return tmp_path


async def test_a_thinker_keeps_what_it_read_and_the_deployment_has_the_last_word(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OmniText, "read", lambda folder, config: omni_text(config))
    with pytest.raises(Started) as started:
        await open_thinker(models, model=NAME, max_sessions=3, start=start, enable_prefix_caching=False)
    told = started.value
    assert (told.stage, told.model) == ("thinker", models / NAME)
    assert told.engine_args["hf_overrides"] == {"architectures": [THINKER]}
    assert told.engine_args["max_num_seqs"] == 3
    assert told.engine_args["enable_prefix_caching"] is False
    with pytest.raises(ConfigError, match=r"`stop_token_ids` are \[7\], but the checkpoint's are"):
        await open_thinker(models, model=NAME, max_sessions=3, start=start, stop_token_ids=[7])


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"model": "other"}, "there is no such folder"),
        ({"dtype": "int4"}, "stage talker: `dtype` is 'int4', not one of"),
        ({"voice": "Bob"}, "stage talker: unknown voice `Bob`; this checkpoint has chelsie, ethan"),
        ({"stop_token_ids": [7]}, r"stage talker: `stop_token_ids` are \[7\], but the checkpoint's are \[2150\]"),
    ],
)
async def test_what_a_talker_cannot_be_told_is_named(models: Path, asked: dict[str, Any], fault: str) -> None:
    told: dict[str, Any] = {"model": NAME, "max_sessions": 1, "load_format": "dummy", "start": start} | asked
    with pytest.raises(ConfigError, match=fault):
        await open_omni_talker(models, **told)


async def test_weights_of_another_model_are_named(models: Path) -> None:
    save_file({"talker.ear.weight": np.zeros(2, np.float32)}, models / NAME / "model.safetensors")
    with pytest.raises(ConfigError) as refused:
        await open_omni_talker(models, model=NAME, max_sessions=1, start=start)
    assert "weights missing: talker.code_predictor" in str(refused.value)
    assert "weights that nothing uses: talker.ear.weight" in str(refused.value)


def test_engines_are_warmed_with_prompts_as_long_as_they_are_asked_for(models: Path) -> None:
    short, long = (str([part for part in words_only(count).parts if isinstance(part, str)]) for count in (1, 512))
    assert long.count(" one") - short.count(" one") == 511
    config = read_omni(models / NAME)
    heard = [first_thought(config, positions).heard for positions in (0, 64)]
    assert [len(each.prompt.text) for each in heard if each] == [0, 64]


@pytest.mark.parametrize(("tokens", "longest"), [(1_024, 960), (64, 64)])
async def test_a_thinker_is_warmed_with_prompts_that_a_step_reads(
    models: Path, monkeypatch: pytest.MonkeyPatch, tokens: int, longest: int
) -> None:
    words: list[int] = []

    async def heard(engine: object, prompt: OmniPrompt, *how: object) -> None:
        words.append("".join(part for part in prompt.parts if isinstance(part, str)).count("one"))

    async def opened(stage: str, model: Path, **engine_args: Any) -> Any:
        return AsyncMock()

    monkeypatch.setattr(OmniText, "read", lambda folder, config: omni_text(config))
    for name in ("heard", "heard_together"):
        monkeypatch.setattr(setup, name, heard)
    told: dict[str, Any] = {"hidden_state_rows": 64, "max_num_batched_tokens": tokens}
    engine = await open_thinker(models, model=NAME, max_sessions=1, start=opened, **told)
    await engine.aclose()
    assert max(words) - words[0] == longest, "in front stands a sentence with one such word"
