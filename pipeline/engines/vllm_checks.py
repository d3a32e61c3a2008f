"""Looks whether the checkpoints that a deployment names are there and of the right kind, without torch or vLLM."""

from pathlib import Path

from pipeline.deployment import StageDeployment
from pipeline.engines.aura_setup import check_folder
from pipeline.engines.files import check_is_there
from pipeline.engines.qwen3_asr_setup import read_folder
from pipeline.engines.talker_setup import check_config, read_config
from pipeline.errors import ConfigError
from pipeline.models.qwen3_tts.config import read_codec
from pipeline.models.weight_files import stored, weight_bytes

CODEC, DECODER = "speech_tokenizer", "decoder."


def check_asr(stage: StageDeployment, models_dir: Path) -> int:
    args = stage.engine_args
    folder, _ = read_folder(models_dir, args["model"], args["language"], _format(stage))
    return weight_bytes(folder, args["dtype"])


def check_aura(stage: StageDeployment, models_dir: Path) -> int:
    args = stage.engine_args
    folder = check_folder(models_dir, args["model"], args["max_model_len"], _format(stage))
    return weight_bytes(folder, args["dtype"])


def check_tts(stage: StageDeployment, models_dir: Path) -> int:
    args = stage.engine_args
    folder = models_dir / args["model"]
    check_config(folder, read_config(folder), args["voice"], stage.sampling.get("stop_token_ids"), _format(stage))
    return weight_bytes(folder, args["dtype"])


def check_code2wav(stage: StageDeployment, models_dir: Path) -> int:
    args = stage.engine_args
    folder = models_dir / args["model"]
    check_is_there(folder)
    read_codec(folder)
    own = [tensor for tensor in stored(folder / CODEC) if tensor.name.startswith(DECODER)]
    if not own and _format(stage) != "dummy":
        raise ConfigError(str(folder / CODEC), [f"no weights `{DECODER}*` in its files `*.safetensors`"])
    return sum(tensor.size_as(args["dtype"]) for tensor in own)


def _format(stage: StageDeployment) -> str:
    return str(stage.engine_args.get("load_format", "auto"))
