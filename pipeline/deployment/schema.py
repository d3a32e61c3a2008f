"""The keys of a deployment file: what each may hold, its default, and the reason where a value is refused.

The names and the defaults are those of vLLM-Omni's stage configs. What differs:

| key | there | here |
| --- | --- | --- |
| `enforce_eager` | true, nothing else is supported | false: CUDA graphs |
| `trust_remote_code` | true | false, and true is refused: every model is in this package or in vLLM |
| `gpu_memory_utilization` | 0.8 | 0.8 on a device of its own; on a shared one it must be told |
| `process` | true | true, and false is refused: an engine that dies must not take the server with it |
| `worker_cls`, `worker_type`, `scheduler_cls` | choose classes | refused: stock vLLM chooses |
| `max_batch_size` | sequences of offline inference | sequences that are computed at once |
| `window_size` n | chunks | n units (pieces of text, codec frames) are handed on at once |
| `async_chunk` | true cuts every stage's output | of codec frames only: where it is silent, as the edges say |
| `sync_process_input_func` | called where `async_chunk` is false | there, if a file names it; else the full payload |
| `max_inflight` | requests in a stage | units that wait between two stages; what the recogniser makes never waits |
| `enable_prefix_caching` | false | true for `asr` and `aura`; true is refused for the Talker |
| `dtype` | auto | bfloat16; float16 for Code2Wav |
| `stop_token_ids` | choose | must be those of the checkpoint |
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Self

from pipeline.engines.code2wav.chunk_ramp import LARGEST

Kind = type | tuple[type, ...]
NEEDED = object()  # in place of a default


@dataclass(frozen=True, slots=True)
class Key:
    """One key.

    Attributes:
        default: What holds if the file is silent; None leaves it to the engine, which has a default of its own.
        refusal: Says why a value cannot be, or nothing.
    """

    kind: Kind
    default: Any = None
    refusal: Callable[[Any], str] = lambda value: ""


Keys = Mapping[str, Key]
Names = Mapping[str, Collection[str]]  # what there is to name, by key


@dataclass(frozen=True, slots=True)
class EngineKeys:
    """What the engine of one architecture may be told.

    Attributes:
        keys: What its `engine_args` may have.
        placed: It runs on devices, in a process of its own.
        sampling_defaults: It draws tokens, and so takes sampling parameters.
        spreads: It may compute on several devices at once.
        sessions: Most callers whom it can serve; None: however many there are.
    """

    keys: Keys = field(default_factory=dict)
    placed: bool = False
    sampling_defaults: bool = False
    spreads: bool = False
    sessions: int | None = None

    def naming(self, names: Names) -> Self:
        """The same, and what some keys name must exist."""
        named = {key: choice(*known, default=self.keys[key].default) for key, known in names.items()}
        return replace(self, keys={**self.keys, **named})


def documented(keys: Keys) -> dict[str, Any]:
    """The keys that have a default, with it."""
    return {name: key.default for name, key in keys.items() if key.default is not None}


def _at_least(least: float) -> Callable[[Any], str]:
    return lambda value: "" if value >= least else f"at least {least} is needed"


def within(least: float, most: float) -> Callable[[Any], str]:
    return lambda value: "" if least <= value <= most else f"it lies between {least} and {most}"


def only(wanted: bool, reason: str) -> Callable[[Any], str]:
    return lambda value: "" if value is wanted else reason


def never(reason: str) -> Callable[[Any], str]:
    return lambda value: reason


def count(default: int | None = None, most: int | None = None) -> Key:
    """A whole number of at least 1."""
    return Key(int, default, within(1, most) if most else _at_least(1))


def choice(*known: str, default: str | None = None) -> Key:
    def refusal(value: str) -> str:
        near = get_close_matches(value, known, n=1)
        return (
            "" if value in known else f"did you mean `{near[0]}`?" if near else f"one of {', '.join(known)} is needed"
        )

    return Key(str, default, refusal)


def _devices(value: str) -> str:
    numbers = value.split(",")
    if not all(number.isascii() and number.isdecimal() and len(number) < 5 for number in numbers):
        return 'numbers of GPUs are needed, such as "0" or "0,1"'
    return "" if len(set(map(int, numbers))) == len(numbers) else "a GPU is named twice"


def _ids(value: list[Any]) -> str:
    return "" if all(type(each) is int and each >= 0 for each in value) else "whole numbers of at least 0 are needed"


def _window(value: int) -> str:
    return "" if value == -1 or 1 <= value <= LARGEST else f"-1 (all at once) or 1 to {LARGEST} is needed"


MOST_SESSIONS = 512
MOST_THREADS = 512  # llama.cpp's own bound, GGML_MAX_N_THREADS
MOST_EARLY_MS = 5_000  # of speech: who knows less of a question knows nothing of its end
MOST_POSITIONS = 262_144  # of an AURA's prompt: no step of an engine need be longer than the longest of all
STOCK = "stock vLLM chooses it"

TOP_KEYS: Keys = {
    "max_sessions": Key(int, NEEDED, _at_least(1)),
    "model_type": Key(str),
    "early_answer_ms": Key(int, 0, within(0, MOST_EARLY_MS)),
    "async_chunk": Key(bool),
    "stage_args": Key(list),
    "runtime": Key(dict),
}

STAGE_KEYS: Keys = {
    "stage_id": Key(int, NEEDED),
    "runtime": Key(dict),
    "engine_args": Key(dict),
    "engine_input_source": Key(list, None, _ids),
    "custom_process_input_func": Key(str),
    "sync_process_input_func": Key(str),
    "is_comprehension": Key(bool),
    "final_output": Key(bool),
    "final_output_type": Key(str),
    "default_sampling_params": Key(dict),
}

PLACE_KEYS: Keys = {
    "process": Key(bool, True, only(True, "an engine that dies must not take the server with it")),
    "devices": Key(str, "0", _devices),
    "max_batch_size": count(1, 1_024),  # of 512 callers, each of whom has two prompts at AURA
}

TOPOLOGY_KEYS: Keys = {"model_stage": Key(str), "model_arch": Key(str), "engine_output_type": Key(str)}

SHARE = Key((int, float), None, within(0.01, 0.98))

VLLM_KEYS: Keys = {
    "model": Key(str),
    "dtype": choice("auto", "bfloat16", "float16", "float32"),
    "load_format": choice("auto", "safetensors", "dummy"),
    "quantization": Key(str),
    "max_model_len": count(),
    "max_num_batched_tokens": count(None, MOST_POSITIONS),
    "tensor_parallel_size": count(),
    "kv_cache_memory_bytes": count(),
    "gpu_memory_utilization": SHARE,
    "enforce_eager": Key(bool, False),
    "trust_remote_code": Key(bool, False, only(False, "every model is in this package or in vLLM")),
    "enable_prefix_caching": Key(bool, False),
    "worker_cls": Key(str, None, never(STOCK)),
    "worker_type": Key(str, None, never(STOCK)),
    "scheduler_cls": Key(str, None, never(STOCK)),
}

SAMPLING_KEYS: Keys = {
    "temperature": Key((int, float), 0.0, _at_least(0)),
    "top_p": Key((int, float), 1.0, within(0.01, 1)),
    "top_k": Key(int, -1, lambda value: "" if value == -1 or value >= 1 else "-1 (all) or at least 1 is needed"),
    "max_tokens": count(2048),
    "seed": Key((int, type(None)), 42),
    "detokenize": Key(bool, True),
    "repetition_penalty": Key((int, float), 1.1, within(0.01, 2)),
    "stop_token_ids": Key(list, None, _ids),
}

WINDOW_KEYS: Keys = {"window_size": Key(int, -1, _window), "max_inflight": count(1)}
EDGE_KEYS: Keys = {"from": Key(int, NEEDED), "to": Key(int, NEEDED), "connector": Key(str), **WINDOW_KEYS}
RUNTIME_KEYS: Keys = {
    "enabled": Key(bool, True, only(True, "stages are always joined as the edges say")),
    "defaults": Key(dict),
    "edges": Key(list),
    "connectors": Key(dict),
}
CONNECTOR_KEYS: Keys = {"extra": Key(dict)}
CHUNK_KEYS: Keys = {
    "initial_codec_chunk_frames": count(None, LARGEST),
    "codec_chunk_frames": count(None, LARGEST),
    "codec_chunk_ramp": Key(list),
}
