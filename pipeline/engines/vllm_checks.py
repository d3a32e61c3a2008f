"""Looks whether the checkpoints that a deployment names are there and of the right kind, without torch or vLLM."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.deployment import StageDeployment
from pipeline.engines import aura_setup as aura
from pipeline.engines import qwen3_asr_setup as asr
from pipeline.engines import talker_setup as talker
from pipeline.engines.aura import STAGE as AURA
from pipeline.engines.draws import check_stops
from pipeline.engines.files import check_is_there
from pipeline.engines.qwen3_asr import STAGE as ASR
from pipeline.errors import ConfigError
from pipeline.fit import Memory
from pipeline.models.aura_text import STOPS
from pipeline.models.qwen3_asr.tokenizer import ENDS
from pipeline.models.qwen3_tts.config import read_codec
from pipeline.models.qwen_tokenizer import check_tokenizer
from pipeline.models.weight_files import BYTES, stored, weight_bytes

CODEC, DECODER = "speech_tokenizer", "decoder."


def check_asr(stage: StageDeployment, models_dir: Path) -> Memory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    folder, config = asr.read_folder(models_dir, args["model"], args["language"], _format(stage), most)
    _check_stops(stage, ASR, folder, ENDS)
    cache = asr.cache_bytes(config.text, BYTES[dtype], stage.max_batch_size, most)
    return Memory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_aura(stage: StageDeployment, models_dir: Path) -> Memory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    folder = aura.check_folder(models_dir, args["model"], most, _format(stage))
    _check_stops(stage, AURA, folder, STOPS)
    cache = aura.cache_bytes(folder, BYTES[dtype], most) // len(stage.devices)
    return Memory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_tts(stage: StageDeployment, models_dir: Path) -> Memory:
    args, most, dtype = stage.engine_args, stage.engine_args["max_model_len"], stage.engine_args["dtype"]
    folder = models_dir / args["model"]
    config, stops = talker.read_config(folder), stage.sampling.get("stop_token_ids")
    talker.check_config(
        folder, config, voice=args["voice"], stop_token_ids=stops, max_model_len=most, load_format=_format(stage)
    )
    check_tokenizer(folder)
    cache = talker.cache_bytes(config.talker, BYTES[dtype], stage.max_batch_size, most)
    return Memory(weight_bytes(folder, dtype), args.get("kv_cache_memory_bytes", cache))


def check_code2wav(stage: StageDeployment, models_dir: Path) -> Memory:
    args = stage.engine_args
    folder = models_dir / args["model"]
    check_is_there(folder)
    read_codec(folder)
    own = [tensor for tensor in stored(folder / CODEC) if tensor.name.startswith(DECODER)]
    if not own and _format(stage) != "dummy":
        raise ConfigError(str(folder / CODEC), [f"no weights `{DECODER}*` in its files `*.safetensors`"])
    return Memory(sum(tensor.size_as(args["dtype"]) for tensor in own))


def _check_stops(stage: StageDeployment, name: str, folder: Path, ends: Sequence[str]) -> None:
    """Names that are not among the added tokens are looked up when the engine is opened."""
    added = check_tokenizer(folder)
    if all(end in added for end in ends):
        told = stage.sampling.get("stop_token_ids")
        check_stops(f"stage {name}", told, [added[end] for end in ends])


def _format(stage: StageDeployment) -> str:
    return str(stage.engine_args.get("load_format", "auto"))
