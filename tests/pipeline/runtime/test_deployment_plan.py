"""What `aura-pipeline check` tells: the resolved plan of a shipped file, in memory of the GPUs that are there."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import model_type_in, read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.checks.deployment_plan import plan_of
from pipeline.runtime.profiles import DEPLOY, PROFILES

PROFILE = PROFILES["vllm"]
KEYS = PROFILE.engine_keys(DEPLOY)
H100 = 80 << 30


def plan(name: str, *gpus: int) -> list[str]:
    return list(plan_of(PROFILE.topology, read_deployment(DEPLOY / name, PROFILE.topology, KEYS), gpus))


def test_each_stage_is_told_with_its_place_its_size_and_its_manner() -> None:
    lines = plan("aura_80gb.yaml", H100)
    assert lines[0] == "aura_omni: fine, 16 sessions"
    assert lines[1] == "stage 0 asr: Qwen3-ASR-1.7B, 12 % of GPU 0 (9.6 of 80 GiB), 16 at once"
    assert lines[4] == "stage 1 aura: AURA, 62 % of GPU 0 (49.6 of 80 GiB), 32 at once"
    assert "temperature 0.5" in lines[6] and "max_tokens 256" in lines[6]
    assert "stop_token_ids [2150]" in lines[9]
    assert lines[-4:] == [
        "asr → aura: 1 at a time, none waits",
        "aura → qwen3_tts: 1 at a time, at most 8 wait",
        "qwen3_tts → code2wav: in chunks, codec_chunk_ramp [1, 1, 1, 2, 2, 4, 4, 8], at most 8 wait",
        "in all: 93 % of GPU 0 (74.4 of 80 GiB)",
    ]


@pytest.mark.parametrize(("tokens", "handed"), [(False, "all at once"), (True, "all at once, as tokens only")])
def test_codec_frames_that_are_handed_on_complete_are_told_so(tmp_path: Path, tokens: bool, handed: str) -> None:
    raw = yaml.safe_load((DEPLOY / "aura_80gb.yaml").read_text())
    raw |= {"async_chunk": False, "runtime": {"defaults": {"window_size": 1, "max_inflight": 8}}}
    raw["stage_args"][2]["engine_args"].pop("playback_lead_s")
    if tokens:
        function = PROFILE.topology.stages[3].sync_process_input_func
        assert function
        raw["stage_args"][3]["sync_process_input_func"] = f"{function.__module__}.{function.__qualname__}"
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(raw))
    lines = list(plan_of(PROFILE.topology, read_deployment(path, PROFILE.topology, KEYS), ()))
    assert f"qwen3_tts → code2wav: {handed}, at most 8 wait" in lines
    assert "aura → qwen3_tts: 1 at a time, at most 8 wait" in lines


def test_a_voice_that_keeps_to_its_lead_hands_on_chunks_that_are_short_enough(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text((DEPLOY / "aura_80gb.yaml").read_text().replace("[1, 1, 1, 2, 2, 4, 4, 8]", "[1, 2, 4, 8, 12, 25]"))
    with pytest.raises(ConfigError, match=r"stage 2: `playback_lead_s` is 2, .* 25 frames at least 3\.36"):
        read_deployment(path, PROFILE.topology, KEYS)


def test_without_a_gpu_shares_are_all_that_is_known() -> None:
    assert plan("aura_2gpu.yaml")[-2:] == ["in all: 90 % of GPU 0", "in all: 70 % of GPU 1"]
    assert plan("aura_24gb.yaml")[-1] == "in all: 95 % of GPU 0"


def test_a_file_says_which_pipeline_it_is_for(tmp_path: Path) -> None:
    assert model_type_in(PROFILE.deployment) == "aura_omni"
    (tmp_path / "silent.yaml").write_text("max_sessions: 1")
    assert model_type_in(tmp_path / "silent.yaml") is None
    other = tmp_path / "other.yaml"
    other.write_text("{max_sessions: 1, model_type: mine}")
    with pytest.raises(ConfigError, match="`model_type` is 'mine', but the topology says 'aura_omni'"):
        read_deployment(other, PROFILE.topology, KEYS)


@pytest.mark.parametrize(
    ("stage_id", "args", "reason"),
    [
        (0, {"voice": "vivian"}, "unknown key `voice`"),
        (1, {"temperature": 1.0}, "unknown key `temperature`"),
        (1, {"dtype": "auto"}, "`dtype` is 'auto': one of bfloat16"),
        (2, {"enable_prefix_caching": True}, "`enable_prefix_caching` is True: its prompts are embeddings"),
        (2, {"worker_cls": "a.B"}, "`worker_cls` is 'a.B': stock vLLM chooses it"),
        (3, {"enforce_eager": True}, "`enforce_eager` is True: each size of its chunks is one CUDA graph"),
        (3, {"enable_prefix_caching": True}, "`enable_prefix_caching` is True: no two of its requests begin alike"),
        (3, {"scheduler_cls": "a.B"}, "`scheduler_cls` is 'a.B': stock vLLM chooses it"),
        (3, {"max_model_len": 5}, "unknown key `max_model_len`"),
    ],
)
def test_what_an_engine_has_no_room_for_is_refused_by_name(
    tmp_path: Path, stage_id: int, args: dict[str, Any], reason: str
) -> None:
    raw = yaml.safe_load((DEPLOY / "aura_80gb.yaml").read_text())
    raw["stage_args"][stage_id]["engine_args"] |= args
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(raw))
    with pytest.raises(ConfigError) as refused:
        read_deployment(path, PROFILE.topology, KEYS)
    (fault,) = refused.value.faults
    assert fault.startswith(f"stage {stage_id}: engine_args: {reason}")


@pytest.mark.parametrize(("stage_id", "value"), [(0, False), (1, False), (2, True)])
def test_whether_tokens_become_text_is_the_topologys(tmp_path: Path, stage_id: int, value: bool) -> None:
    raw = yaml.safe_load((DEPLOY / "aura_80gb.yaml").read_text())
    raw["stage_args"][stage_id]["default_sampling_params"]["detokenize"] = value
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(raw))
    reason = f"stage {stage_id}: default_sampling_params: `detokenize` is {value}, but the topology says {not value}"
    with pytest.raises(ConfigError, match=reason):
        read_deployment(path, PROFILE.topology, KEYS)
