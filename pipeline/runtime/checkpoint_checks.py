"""Looks whether the checkpoints that a deployment names are there and of the right kind, without torch or vLLM."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.deployment.loading import StageDeployment
from pipeline.engines.aura import setup as aura
from pipeline.engines.aura.engine import STAGE as AURA
from pipeline.engines.model_files import check_is_there
from pipeline.engines.qwen3_asr import setup as asr
from pipeline.engines.qwen3_asr.engine import STAGE as ASR
from pipeline.engines.qwen3_tts import setup as talker
from pipeline.engines.qwen3_tts.engine import STAGE as TALKER
from pipeline.engines.vllm.kv_cache import DecoderSizes, position_bytes
from pipeline.engines.vllm.sampling_defaults import check_stops
from pipeline.errors import ConfigError
from pipeline.models.aura.text import STOPS
from pipeline.models.qwen3_asr.languages import AUTO
from pipeline.models.qwen3_asr.tokenizer import ENDS
from pipeline.models.qwen3_tts.config import read_codec, read_generation
from pipeline.models.shared.fields import read_object
from pipeline.models.shared.tokenizer import check_tokenizer
from pipeline.models.shared.weight_files import BYTES, stored, weight_bytes
from pipeline.runtime.gpu_fit import GpuMemory

UNREAD, ENOUGH = "dummy", 1 << 60  # a format of which no weights are looked at, a length to which nothing is too long
CODEC, DECODER = "speech_tokenizer", "decoder."


def check_asr(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    read = partial(asr.read_folder, models_dir, args["model"])
    folder, config = read(AUTO, UNREAD)
    _all_of(
        partial(read, AUTO, UNREAD, most),
        partial(_check_positions, ASR, folder, most, "thinker_config", "text_config"),
        partial(read, args["language"], UNREAD),
        partial(read, AUTO, _format(stage)),
        partial(_check_stops, stage, ASR, folder, ENDS),
        partial(_check_cache, ASR, stage, config.text),
    )
    cache = asr.cache_bytes(config.text, BYTES[dtype], stage.max_batch_size, most)
    return GpuMemory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_aura(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    look = partial(aura.check_folder, models_dir, args["model"])
    folder = look(ENOUGH, UNREAD)
    _all_of(
        partial(look, most, UNREAD),
        partial(_check_positions, AURA, folder, most, "text_config"),
        partial(look, ENOUGH, _format(stage)),
        partial(_check_stops, stage, AURA, folder, STOPS),
        partial(_check_cache, AURA, stage, aura.read_decoder(folder)),
    )
    cache = aura.cache_bytes(folder, BYTES[dtype], most) // len(stage.devices)
    return GpuMemory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_tts(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    folder = models_dir / args["model"]
    config, stops = talker.read_config(folder), stage.sampling.get("stop_token_ids")
    agrees: dict[str, Any] = {"voice": "", "stop_token_ids": None, "max_model_len": ENOUGH, "load_format": UNREAD}
    told = {"max_model_len": most, "stop_token_ids": stops, "voice": args["voice"], "load_format": _format(stage)}
    _all_of(
        *(partial(talker.check_config, folder, config, **agrees | {key: value}) for key, value in told.items()),
        partial(_check_positions, TALKER, folder, most, "talker_config"),
        partial(check_tokenizer, folder),
        partial(read_generation, folder),
        partial(_check_cache, TALKER, stage, config.talker),
    )
    cache = talker.cache_bytes(config.talker, BYTES[dtype], stage.max_batch_size, most)
    return GpuMemory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_code2wav(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args = stage.engine_args
    folder = models_dir / args["model"]
    check_is_there(folder)
    read_codec(folder)
    own = [tensor for tensor in stored(folder / CODEC) if tensor.name.startswith(DECODER)]
    if not own and _format(stage) != "dummy":
        raise ConfigError(str(folder / CODEC), [f"no weights `{DECODER}*` in its files `*.safetensors`"])
    return GpuMemory(sum(tensor.size_as(args["dtype"]) for tensor in own))


def _all_of(*looks: Callable[[], object]) -> None:
    """
    Raises:
        ExceptionGroup: Of the `ConfigError` of each that raises one.
    """
    errors: list[ConfigError] = []
    for look in looks:
        try:
            look()
        except ConfigError as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("the model cannot be used", errors)


def _check_positions(name: str, folder: Path, max_model_len: int, *path: str) -> None:
    """vLLM refuses more than the checkpoint was trained for. Where it stretches them, it knows by how much.

    Args:
        path: Of the part of `config.json` that counts them.
    """
    part: Any = read_object(folder / "config.json")
    for each in path:
        part = part.get(each) if isinstance(part, dict) else None
    told = part if isinstance(part, dict) else {}
    known, stretched = told.get("max_position_embeddings"), "factor" in str(told.get("rope_scaling"))
    if type(known) is int and max_model_len > known and not stretched:
        raise ConfigError(
            f"stage {name}", [f"`max_model_len` is {max_model_len}, and the checkpoint has {known} positions"]
        )


def _check_cache(name: str, stage: StageDeployment, decoder: DecoderSizes | None) -> None:
    """vLLM does not start with less than the longest request takes.

    Args:
        decoder: None: the configuration does not say how much that is.
    """
    args = stage.engine_args
    told, most = args.get("kv_cache_memory_bytes"), args["max_model_len"]
    if told is None or decoder is None:
        return
    least = most * position_bytes(decoder, BYTES[args["dtype"]]) // len(stage.devices)
    if told < least:
        fault = f"`kv_cache_memory_bytes` is {told}, and one request of `max_model_len` {most} takes {least}"
        raise ConfigError(f"stage {name}", [fault])


def _check_stops(stage: StageDeployment, name: str, folder: Path, ends: Sequence[str]) -> None:
    """Names that are not among the added tokens are looked up when the engine is opened."""
    added = check_tokenizer(folder)
    if all(end in added for end in ends):
        told = stage.sampling.get("stop_token_ids")
        check_stops(f"stage {name}", told, [added[end] for end in ends])


def _format(stage: StageDeployment) -> str:
    return str(stage.engine_args.get("load_format", "auto"))
