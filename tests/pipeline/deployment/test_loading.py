"""Deployment files: typed, strict, and every error at once."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.deployment.loading import Deployment, Edge, StageDeployment, read_deployment
from pipeline.deployment.schema import CHUNK_KEYS, VLLM_KEYS, EngineKeys, Key, count
from pipeline.deployment.validation import faults_of, session_faults
from pipeline.errors import ConfigError
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.handover import (
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)
from tests.scenario import AURA, TTS, to_chat, to_sentences

ASR = StagePipelineConfig(
    0,
    "asr",
    StageExecutionType.LLM_AR,
    (),
    "text",
    "Drawing",
    owns_tokenizer=True,
    requires_multimodal_data=True,
    sampling_constraints={"top_p": 0.5},
)
TOPOLOGY = PipelineConfig("scripted", "Scripted", (ASR, AURA, TTS))
TALKER = StagePipelineConfig(
    2,
    "talker",
    StageExecutionType.LLM_AR,
    (1,),
    "latent",
    "Scripted",
    custom_process_input_func=to_sentences,
    custom_process_next_stage_input_func=talker2code2wav_full_payload,
    async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
)
CODE2WAV = replace(
    TTS,
    stage_id=3,
    input_sources=(2,),
    custom_process_input_func=None,
    sync_process_input_func=talker2code2wav_token_only,
)
CUTS = PipelineConfig("cutting", "Scripted", (ASR, AURA, TALKER, CODE2WAV))
TO_TTS = {"from": 2, "to": 3, "connector": "x"}
RAMP = {"x": {"extra": {"codec_chunk_ramp": [1, 2]}}}
TOKENS = f"{talker2code2wav_token_only.__module__}.{talker2code2wav_token_only.__qualname__}"
ENGINE_KEYS = {
    "Scripted": EngineKeys({"model": Key(str, "tiny"), "threads": count()}),
    "Drawing": EngineKeys(VLLM_KEYS, placed=True, sampling_defaults=True, spreads=True),
}
Raw = dict[str, Any]


def read(folder: Path, raw: object, topology: PipelineConfig = TOPOLOGY) -> Deployment:
    path = folder / "deployment.yaml"
    path.write_text(raw if isinstance(raw, str) else yaml.safe_dump(raw))
    return read_deployment(path, topology, ENGINE_KEYS)


def faults(folder: Path, raw: object, topology: PipelineConfig = TOPOLOGY) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        read(folder, raw, topology)
    return refused.value.faults


def stage(stage_id: int, **keys: object) -> Raw:
    return {"max_sessions": 1, "stage_args": [{"stage_id": stage_id, **keys}]}


def runtime(**keys: object) -> Raw:
    return {"max_sessions": 1, "runtime": keys}


def test_a_key_that_is_there_twice_is_named_with_its_line(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "max_sessions: 1\nstage_args:\n  - {stage_id: 0}\nmax_sessions: 2\n")
    assert "`max_sessions` is there twice" in fault
    assert "line 4" in fault


def test_a_file_that_says_nothing_has_every_documented_default(tmp_path: Path) -> None:
    deployment = read(tmp_path, {"max_sessions": 3})
    assert deployment.max_sessions == 3
    drawn: Raw = {"temperature": 0.0, "top_p": 0.5, "top_k": -1, "max_tokens": 2048, "seed": 42}
    drawn |= {"detokenize": True, "repetition_penalty": 1.1}
    args = {
        "gpu_memory_utilization": 0.8,
        "enforce_eager": False,
        "trust_remote_code": False,
        "enable_prefix_caching": False,
    }
    assert deployment.stage(0) == StageDeployment(0, (0,), 1, args, drawn)
    assert deployment.stage(1) == StageDeployment(1, engine_args={"model": "tiny"})
    assert deployment.stage(1).edge == Edge(window_size=-1, max_inflight=1)


STAGE_SAYS: list[tuple[Raw, str, object]] = [
    ({"runtime": {"process": True}}, "devices", (0,)),
    ({"runtime": {"devices": "1,3"}}, "devices", (1, 3)),
    ({"runtime": {"max_batch_size": 8}}, "max_batch_size", 8),
    ({"engine_args": {"max_num_batched_tokens": 8_192}}, "engine_args.max_num_batched_tokens", 8_192),
    ({"engine_args": {"gpu_memory_utilization": 0.4}}, "engine_args.gpu_memory_utilization", 0.4),
    ({"engine_args": {"enforce_eager": True}}, "engine_args.enforce_eager", True),
    ({"engine_args": {"trust_remote_code": False}}, "engine_args.trust_remote_code", False),
    ({"engine_args": {"enable_prefix_caching": True}}, "engine_args.enable_prefix_caching", True),
    ({"engine_args": {"model_stage": "asr", "model": "some"}}, "engine_args.model", "some"),
    ({"engine_args": {"model_arch": "Drawing", "engine_output_type": "text"}}, "stage_id", 0),
    ({"engine_input_source": [], "is_comprehension": True, "final_output": False}, "stage_id", 0),
    ({"default_sampling_params": {"temperature": 0.7}}, "sampling.temperature", 0.7),
    ({"default_sampling_params": {"top_p": 0.5}}, "sampling.top_p", 0.5),
    ({"default_sampling_params": {"top_k": 40}}, "sampling.top_k", 40),
    ({"default_sampling_params": {"max_tokens": 12}}, "sampling.max_tokens", 12),
    ({"default_sampling_params": {"seed": None}}, "sampling.seed", None),
    ({"default_sampling_params": {"detokenize": False}}, "sampling.detokenize", False),
    ({"default_sampling_params": {"repetition_penalty": 1.0}}, "sampling.repetition_penalty", 1.0),
    ({"default_sampling_params": {"stop_token_ids": [2150]}}, "sampling.stop_token_ids", [2150]),
]


@pytest.mark.parametrize(("keys", "path", "value"), STAGE_SAYS)
def test_what_a_stage_says_holds(tmp_path: Path, keys: Raw, path: str, value: object) -> None:
    output: Any = read(tmp_path, stage(0, **keys)).stage(0)
    for name in path.split("."):
        output = output[name] if isinstance(output, Mapping) else getattr(output, name)
    assert output == value


STAGE_REFUSED: list[tuple[int, Raw, str]] = [
    (0, {"runtime": {"process": False}}, "runtime: `process` is False: an engine that dies must not take the server"),
    (0, {"runtime": {"devices": "all"}}, "runtime: `devices` is 'all': numbers of GPUs are needed"),
    (0, {"runtime": {"devices": "٣"}}, "runtime: `devices` is '٣': numbers of GPUs are needed"),
    (0, {"runtime": {"devices": "1,1"}}, "runtime: `devices` is '1,1': a GPU is named twice"),
    (0, {"runtime": {"devices": "0,00"}}, "runtime: `devices` is '0,00': a GPU is named twice"),
    (0, {"runtime": {"max_batch_size": 0}}, "runtime: `max_batch_size` is 0: it lies between 1 and 1024"),
    (0, {"runtime": {"max_batch_size": 10**9}}, "runtime: `max_batch_size` is 1000000000: it lies between 1 and 1024"),
    (
        0,
        {"engine_args": {"max_num_batched_tokens": 640, "max_model_len": 100}, "runtime": {"max_batch_size": 0}},
        "runtime: `max_batch_size` is 0: it lies between 1 and 1024",
    ),
    (1, {"runtime": {"devices": "0"}}, "runtime: unknown key `devices`"),
    (0, {"engine_args": {"worker_cls": "a.B"}}, "engine_args: `worker_cls` is 'a.B': stock vLLM chooses it"),
    (0, {"engine_args": {"worker_type": "ar"}}, "engine_args: `worker_type` is 'ar': stock vLLM chooses it"),
    (0, {"engine_args": {"scheduler_cls": "a.B"}}, "engine_args: `scheduler_cls` is 'a.B': stock vLLM chooses it"),
    (0, {"engine_args": {"trust_remote_code": True}}, "engine_args: `trust_remote_code` is True: every model is in"),
    (0, {"engine_args": {"gpu_memory_utilization": 1.2}}, "engine_args: `gpu_memory_utilization` is 1.2: it lies"),
    (0, {"engine_args": {"dtype": "int4"}}, "engine_args: `dtype` is 'int4': one of auto, bfloat16"),
    (1, {"engine_args": {"threads": 0}}, "engine_args: `threads` is 0: at least 1 is needed"),
    (2, {"engine_args": {"model_stage": "talker"}}, "`model_stage` is 'talker', but the topology says 'tts'"),
    (0, {"engine_args": {"model_arch": "Other"}}, "`model_arch` is 'Other', but the topology says 'Drawing'"),
    (0, {"engine_args": {"engine_output_type": "latent"}}, "`engine_output_type` is 'latent', but the topology says"),
    (0, {"final_output": True}, "`final_output` is True, but the topology says False"),
    (2, {"final_output_type": "text"}, "`final_output_type` is 'text', but the topology says 'audio'"),
    (1, {"engine_input_source": [2]}, "`engine_input_source` is [2], but the topology says [0]"),
    (1, {"custom_process_input_func": "a.b"}, "`custom_process_input_func` is 'a.b', but the topology says 'tests."),
    (2, {"is_comprehension": True}, "`is_comprehension` is True, but the topology says False"),
    (0, {"default_sampling_params": {"top_p": 0.9}}, "default_sampling_params: `top_p` is 0.9, but the topology says"),
    (0, {"default_sampling_params": {"top_k": 0}}, "default_sampling_params: `top_k` is 0: -1 (all) or at least 1"),
    (0, {"default_sampling_params": {"temperature": -1}}, "default_sampling_params: `temperature` is -1: at least 0"),
    (1, {"default_sampling_params": {"seed": 1}}, "default_sampling_params: unknown key `seed` (it takes none)"),
    (
        0,
        {"engine_args": {"tensor_parallel_size": 2}},
        "engine_args: `tensor_parallel_size` is 2, but `devices` names 1",
    ),
    (
        0,
        {"engine_args": {"max_num_batched_tokens": 3}, "runtime": {"max_batch_size": 4}},
        "engine_args: `max_num_batched_tokens` is 3, but `max_batch_size` lets 4 draw one each",
    ),
    (
        0,
        {"engine_args": {"max_num_batched_tokens": 10**9}},
        "engine_args: `max_num_batched_tokens` is 1000000000: it lies between 1 and 262144",
    ),
]


@pytest.mark.parametrize(("stage_id", "keys", "reason"), STAGE_REFUSED)
def test_what_cannot_be_is_refused_by_name_and_with_the_reason(
    tmp_path: Path, stage_id: int, keys: Raw, reason: str
) -> None:
    (fault,) = faults(tmp_path, stage(stage_id, **keys))
    assert fault.startswith(f"stage {stage_id}: {reason}")


def test_a_function_of_the_topology_may_be_repeated_by_its_dotted_name(tmp_path: Path) -> None:
    name = f"{to_chat.__module__}.{to_chat.__qualname__}"
    assert read(tmp_path, stage(1, custom_process_input_func=name, engine_input_source=[0])).max_sessions == 1


def test_how_much_the_words_of_an_early_answer_may_lack_is_told_and_else_nothing_begins_early(tmp_path: Path) -> None:
    assert read(tmp_path, {"max_sessions": 1}).early_answer_ms == 0
    assert read(tmp_path, {"max_sessions": 1, "early_answer_ms": 400}).early_answer_ms == 400
    told = ["`early_answer_ms` is -1: it lies between 0 and 5000"]
    assert faults(tmp_path, {"max_sessions": 1, "early_answer_ms": -1}) == told


def test_edges_say_how_much_is_handed_on_at_once_and_connectors_in_which_chunks(tmp_path: Path) -> None:
    connectors = {"codec": {"extra": {"codec_chunk_ramp": [1, 2, 4]}}}
    edges = [{"from": 2, "to": 3, "window_size": 4, "connector": "codec"}]
    raw = runtime(enabled=True, defaults={"window_size": 1, "max_inflight": 8}, edges=edges, connectors=connectors)
    deployment = read(tmp_path, raw, CUTS)
    assert deployment.stage(1).edge == Edge(1, 8)
    assert deployment.stage(3).edge == Edge(4, 8, {"codec_chunk_ramp": [1, 2, 4]})


@pytest.mark.parametrize(
    ("keys", "edge"),
    [
        ({}, Edge(1, 8)),
        ({"async_chunk": True}, Edge(1, 8)),
        ({"async_chunk": True, "runtime": {}}, Edge(-1, 1, {"codec_chunk_ramp": [1, 2, 4, 8, 12, 25]})),
        ({"async_chunk": False}, Edge(-1, 8)),
        (
            {"async_chunk": False, "stage_args": [{"stage_id": 3, "sync_process_input_func": TOKENS}]},
            Edge(-1, 8, {}, True),
        ),
    ],
)
def test_async_chunk_says_whether_codec_frames_are_cut_or_handed_on_complete(
    tmp_path: Path, keys: Raw, edge: Edge
) -> None:
    raw: Raw = {"max_sessions": 1, "runtime": {"defaults": {"window_size": 1, "max_inflight": 8}}, **keys}
    deployment = read(tmp_path, raw, CUTS)
    assert deployment.stage(3).edge == edge
    assert deployment.stage(1).edge.window_size == (-1 if keys.get("runtime") == {} else 1), "text is left as it is"


WHOLE_ONLY = replace(TALKER, async_chunk_process_next_stage_input_func=None)


@pytest.mark.parametrize(
    ("keys", "talker", "told"),
    [
        (
            {"async_chunk": False, "runtime": {"edges": [TO_TTS], "connectors": RAMP}},
            TALKER,
            ["runtime: stage 2 to stage 3: `connector` cuts what is handed on, but `async_chunk` is false"],
        ),
        (
            {"async_chunk": False, "runtime": {"edges": [{"from": 2, "to": 3, "window_size": 5}]}},
            TALKER,
            ["runtime: stage 2 to stage 3: `window_size` cuts what is handed on, but `async_chunk` is false"],
        ),
        (
            {"async_chunk": True, "runtime": {"edges": [{"from": 2, "to": 3, "window_size": -1}]}},
            TALKER,
            ["runtime: stage 2 to stage 3: `window_size` is -1, all at once, but `async_chunk` is true"],
        ),
        (
            {"async_chunk": True},
            WHOLE_ONLY,
            ["runtime: stage 2 to stage 3: talker hands on all at once only: `async_chunk` false is needed"],
        ),
        (
            {"runtime": {"defaults": {"window_size": 1}}},
            WHOLE_ONLY,
            [
                "runtime: stage 2 to stage 3: talker hands on all at once only: `window_size` -1 and no connector "
                "is needed",
            ],
        ),
        (
            {"stage_args": [{"stage_id": 3, "sync_process_input_func": TOKENS}]},
            TALKER,
            ["stage 3: `sync_process_input_func` is only called where `async_chunk` is false"],
        ),
        (
            {"async_chunk": False, "stage_args": [{"stage_id": 3, "sync_process_input_func": "a.b"}]},
            TALKER,
            [f"stage 3: `sync_process_input_func` is 'a.b', but the topology says {TOKENS!r}"],
        ),
        ({"async_chunk": 1}, TALKER, ["`async_chunk` is 1, not true or false"]),
    ],
)
def test_a_hand_over_that_is_told_in_two_ways_or_cannot_be_is_refused(
    tmp_path: Path, keys: Raw, talker: StagePipelineConfig, told: list[str]
) -> None:
    topology = PipelineConfig("cutting", "Scripted", (ASR, AURA, talker, CODE2WAV))
    assert faults(tmp_path, {"max_sessions": 1, **keys}, topology) == told


def test_where_no_codec_frames_are_handed_on_nothing_can_be_cut(tmp_path: Path) -> None:
    told = ["`async_chunk` changes nothing: no stage hands on codec frames"]
    assert faults(tmp_path, {"max_sessions": 1, "async_chunk": False}) == told


def test_a_stage_that_makes_its_prompts_itself_takes_no_chunks(tmp_path: Path) -> None:
    reads = replace(CODE2WAV, custom_process_input_func=to_chat, sync_process_input_func=None)
    makes = replace(TALKER, custom_process_next_stage_input_func=None, async_chunk_process_next_stage_input_func=None)
    topology = PipelineConfig("reading", "Scripted", (ASR, AURA, makes, reads))
    raw = runtime(edges=[TO_TTS], connectors=RAMP)
    told = "runtime: stage 2 to stage 3: `connector` changes nothing: tts makes its prompts itself"
    assert faults(tmp_path, raw, topology) == [told]
    idle = [told.replace("connector", "async_chunk")]
    assert faults(tmp_path, {"max_sessions": 1, "async_chunk": False}, topology) == idle


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"enabled": False}, "`enabled` is False: stages are always joined as the edges say"),
        ({"defaults": {"window_size": 0}}, "defaults: `window_size` is 0: -1 (all at once) or 1 to 300 is needed"),
        ({"defaults": {"window_size": 301}}, "defaults: `window_size` is 301: -1 (all at once) or 1 to 300 is needed"),
        ({"defaults": {"max_inflight": 0}}, "defaults: `max_inflight` is 0: at least 1 is needed"),
        ({"edges": [{"from": 0, "to": 2}]}, "edges[0]: the topology does not join stage 0 to stage 2"),
        ({"edges": [{"from": 0}]}, "edges[0]: `to` is needed, a whole number"),
        ({"edges": ["0-1"]}, "edges[0]: it is '0-1', not a mapping"),
        ({"edges": [TO_TTS]}, "edges[0]: there is no connector `x`"),
        (
            {"connectors": {"x": {"extra": {"codec_chunk": 5}}}, "edges": [TO_TTS]},
            "connector `x`: extra: unknown key `codec_chunk` (did you mean `codec_chunk_ramp`?)",
        ),
        (
            {"connectors": {"x": {"extra": {"codec_chunk_ramp": [1, -2]}}}, "edges": [TO_TTS]},
            "connector `x`: extra: [1, -2] is no list of whole numbers of at least 1",
        ),
        (
            {"connectors": {"x": {"extra": {"codec_chunk_ramp": [301]}}}, "edges": [TO_TTS]},
            "connector `x`: extra: [301] has a chunk of more than 300 frames",
        ),
        (
            {"connectors": {"x": {"extra": {"codec_chunk_ramp": [1], "codec_chunk_frames": 2}}}, "edges": [TO_TTS]},
            "connector `x`: extra: `codec_chunk_ramp` says it all: leave `…codec_chunk_frames` out",
        ),
        ({"connectors": {"x": 3}, "edges": [TO_TTS]}, "connector `x`: it is 3, not a mapping"),
        ({"connectors": {"x": {}}}, "connector `x`: no edge names it"),
        (
            {"connectors": {"x": {}}, "edges": [{"from": 0, "to": 1, "connector": "x"}, TO_TTS]},
            "edges[0]: `connector` cuts codec frames, and asr hands on text",
        ),
        (
            {"edges": [{"from": 0, "to": 1, "max_inflight": 2}]},
            "edges[0]: `max_inflight` changes nothing: what asr hears never waits",
        ),
        ({"edges": [{"from": 0, "to": 1}, {"to": 1, "from": 0}]}, "edges[1]: stage 0 to stage 1 is there twice"),
        ({"edges": [{"from": [0], "to": 1}]}, "edges[0]: `from` is [0], not a whole number"),
        ({"edges": [{**TO_TTS, "connector": ["x"]}]}, "edges[0]: `connector` is ['x'], not a text"),
        ({"connectors": {"x": {"extra": [1]}}, "edges": [TO_TTS]}, "connector `x`: `extra` is [1], not a mapping"),
    ],
)
def test_a_join_that_cannot_be_is_refused_with_its_place(tmp_path: Path, keys: Raw, reason: str) -> None:
    assert faults(tmp_path, runtime(**keys), CUTS) == [f"runtime: {reason}"]


def test_all_sizes_of_chunks_are_whole_numbers_of_at_least_one_and_no_sentence_is_one() -> None:
    counts = "initial_codec_chunk_frames", "codec_chunk_frames"
    for size in (0, 301):
        assert [CHUNK_KEYS[key].refusal(size) for key in counts] == ["it lies between 1 and 300"] * 2


def test_every_error_is_listed_at_once(tmp_path: Path) -> None:
    text = """
max_session: 3
stage_args:
  - {stage_id: 1, engine_args: {thread: 2, model: 7}}
  - {stage_id: 1, runtimes: {}}
  - {stage_id: 9}
  - {engine_args: {}}
  - {stage_id: 2, runtimes: {}}
"""
    assert faults(tmp_path, text) == [
        "unknown key `max_session` (did you mean `max_sessions`?)",
        "`max_sessions` is needed, a whole number",
        "stage 1: engine_args: unknown key `thread` (did you mean `threads`?)",
        "stage 1: engine_args: `model` is 7, not a text",
        "stage 1: configured twice",
        "stage 9: scripted has no such stage",
        "stage_args[3]: `stage_id` is needed, a whole number",
        "stage 2: unknown key `runtimes` (did you mean `runtime`?)",
    ]


@pytest.mark.parametrize("text", ["", "- 1", "max_sessions: [", "max_sessions: yes", "max_sessions: 0"])
def test_a_file_that_is_no_deployment_is_refused(tmp_path: Path, text: str) -> None:
    assert len(faults(tmp_path, text)) == 1


@pytest.mark.parametrize(("most", "is_refused"), [(12, False), (13, True), (10**9, True)])
def test_more_callers_than_an_engine_serves_are_refused_with_its_bound(most: int, is_refused: bool) -> None:
    keys = {**ENGINE_KEYS, "Scripted": EngineKeys(sessions=12)}
    told = list(faults_of({"max_sessions": most}, TOPOLOGY, keys))
    assert told == [f"`max_sessions` is {most}: {name} serves 12 at most" for name in ("aura", "tts") if is_refused]


def test_no_pipeline_serves_more_callers_than_any_engine_is_made_for() -> None:
    assert list(session_faults(512, TOPOLOGY, ENGINE_KEYS)) == []
    said = "`max_sessions` is 513: a pipeline serves 512 at most"
    assert list(session_faults(513, TOPOLOGY, ENGINE_KEYS)) == [said]
    roomy = {arch: replace(keys, sessions=1_000) for arch, keys in ENGINE_KEYS.items()}
    assert list(session_faults(2_000, TOPOLOGY, roomy)) == [said.replace("513", "2000")]


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read"):
        read_deployment(tmp_path / "nowhere.yaml", TOPOLOGY, ENGINE_KEYS)


def test_names_that_do_not_exist_are_listed_with_those_that_do(tmp_path: Path) -> None:
    keys = EngineKeys({"model": Key(str, "tiny"), "threads": count()}).naming({"model": ("small", "large")})
    models = ("larg", "gigantic", "small")
    raw = [{"stage_id": id, "engine_args": {"model": model}} for id, model in enumerate(models)]
    path = tmp_path / "deployment.yaml"
    path.write_text(yaml.safe_dump({"max_sessions": 1, "stage_args": raw}))
    with pytest.raises(ConfigError) as refused:
        read_deployment(path, TOPOLOGY, {"Scripted": keys, "Drawing": keys})
    assert refused.value.faults == [
        "stage 0: engine_args: `model` is 'larg': did you mean `large`?",
        "stage 1: engine_args: `model` is 'gigantic': one of small, large is needed",
    ]


class TestOnOneGpu:
    """Two engines that may share a GPU."""

    KEYS: Mapping[str, EngineKeys] = {**ENGINE_KEYS, "Scripted": EngineKeys(VLLM_KEYS, placed=True)}

    def read(self, folder: Path, *stages: tuple[str, float | None]) -> list[str]:
        told = []
        for stage_id, (gpu, share) in enumerate(stages):
            args = {"gpu_memory_utilization": share} if share else {}
            told.append({"stage_id": stage_id, "runtime": {"devices": gpu}, "engine_args": args})
        path = folder / "deployment.yaml"
        path.write_text(yaml.safe_dump({"max_sessions": 1, "stage_args": told}))
        try:
            self.deployment = read_deployment(path, TOPOLOGY, self.KEYS)
        except ConfigError as error:
            return error.faults
        return []

    def test_shares_of_one_gpu_add_up(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, ("0", 0.3), ("0", 0.5), ("0", 0.1)) == []

    def test_more_than_there_is_cannot_be_shared(self, tmp_path: Path) -> None:
        (fault,) = self.read(tmp_path, ("0", 0.5), ("0", 0.5), ("1", 0.9))
        assert fault == "GPU 0: its engines ask for 1.00 of the memory (asr 0.5, aura 0.5), 0.95 is there"

    def test_all_of_what_there_is_can_be_shared_however_it_is_cut(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, ("0", 0.8), ("0", 0.15), ("1", 0.9)) == [], "0.8 + 0.15 is 0.9500000000000001"

    def test_who_shares_a_gpu_says_how_much_it_takes(self, tmp_path: Path) -> None:
        (fault,) = self.read(tmp_path, ("0,1", None), ("1", 0.5), ("2", None))
        assert fault == "stage 0: engine_args: `gpu_memory_utilization` is needed: it shares GPU 1"

    @pytest.mark.parametrize("listed", [[{"stage_id": "one"}], [{"stage_id": 9}], "one", [3]])
    def test_what_a_stage_that_is_only_misnamed_takes_is_not_asked_for(self, tmp_path: Path, listed: object) -> None:
        path = tmp_path / "deployment.yaml"
        path.write_text(yaml.safe_dump({"max_sessions": 1, "stage_args": listed}))
        with pytest.raises(ConfigError) as refused:
            read_deployment(path, TOPOLOGY, self.KEYS)
        assert len(refused.value.faults) == 1, refused.value.faults

    def test_alone_on_a_gpu_four_fifths_are_taken(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, ("0", None), ("1", None), ("2", None)) == []
        assert self.deployment.stage(2).engine_args["gpu_memory_utilization"] == 0.8
