"""Looks whether the checkpoints that a deployment names are there, whole and of the right kind: no torch, no vLLM."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.deployment.loading import StageDeployment
from pipeline.engines.aura import setup as aura
from pipeline.engines.aura.engine import STAGE as AURA
from pipeline.engines.model_files import check_is_there
from pipeline.engines.qwen3_asr import setup as asr
from pipeline.engines.qwen3_asr.engine import STAGE as ASR
from pipeline.engines.qwen3_tts import setup as talker
from pipeline.engines.qwen3_tts.engine import STAGE as TALKER
from pipeline.engines.vllm.findings import Findings
from pipeline.engines.vllm.kv_cache import kv_cache_bytes, position_bytes
from pipeline.engines.vllm.quantization import loaded_bytes
from pipeline.engines.vllm.sampling_defaults import check_stops
from pipeline.models.aura.text import STOPS
from pipeline.models.aura.weight_names import LANGUAGE
from pipeline.models.qwen3_asr.tokenizer import ENDS
from pipeline.models.qwen3_asr.weight_names import TEXT
from pipeline.models.qwen3_tts.config import read_codec
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.tokenizer import check_tokenizer
from pipeline.models.shared.weight_files import BYTES, Stored, stored
from pipeline.runtime.checks.gpu_fit import GpuMemory

NO_DECODER = DecoderConfig(num_hidden_layers=1)  # where a configuration is damaged: nothing is held against it
CODEC, DECODER = "speech_tokenizer", "decoder."
VOCODER = "decoder."  # of a speech decoder, its last part


def check_asr(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder = models_dir / args["model"]
    told = _format(stage), args["dtype"], args.get("quantization")
    config, tensors = asr.examine(folder, findings, args["language"], most, *told)
    findings.look(_check_tokens, stage, ASR, folder, ENDS)
    text = config.text if config else NO_DECODER
    cache = asr.cache_bytes(text, BYTES[args["dtype"]], stage.max_batch_size, most)
    return _checked(ASR, stage, findings, tensors, text, cache, f"{TEXT}layers.")


def check_aura(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder = models_dir / args["model"]
    told = _format(stage), args["dtype"], args.get("quantization")
    config, tensors = aura.examine(folder, findings, most, *told)
    findings.look(_check_tokens, stage, AURA, folder, STOPS)
    text = config.text if config else NO_DECODER
    cache = kv_cache_bytes(text, BYTES[args["dtype"]], most) // len(stage.devices)
    return _checked(AURA, stage, findings, tensors, text, cache, f"{LANGUAGE}layers.")


def check_tts(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder, stops = models_dir / args["model"], stage.sampling.get("stop_token_ids")
    told = {"voice": args["voice"], "stop_token_ids": stops, "max_model_len": most, "load_format": _format(stage)}
    told["max_instructions_length"] = args["max_instructions_length"]
    config, tensors = talker.examine(folder, findings, **told)
    findings.look(check_tokenizer, folder)
    decoder = config.talker if config else NO_DECODER
    cache = talker.cache_bytes(decoder, BYTES[args["dtype"]], stage.max_batch_size, most)
    return _checked(TALKER, stage, findings, tensors, decoder, cache)


def check_code2wav(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, findings = stage.engine_args, Findings()
    folder = models_dir / args["model"]
    check_is_there(folder)
    findings.look(read_codec, folder)
    tensors = findings.look(stored, folder / CODEC)
    own = [tensor for tensor in tensors or () if tensor.name.startswith(DECODER)]
    if tensors is not None and not own and _format(stage) != "dummy":
        findings.add(str(folder / CODEC), f"no weights `{DECODER}*` in its files `*.safetensors`")
    findings.check()
    return GpuMemory(decoder_bytes(own, args["dtype"], f"{DECODER}{VOCODER}"))


def decoder_bytes(tensors: Sequence[Stored], dtype: str, vocoder: str) -> int:
    """What a speech decoder takes at the least.

    Args:
        dtype: With `float16` only the vocoder, its convolutions to the wave, is of that, and all else float32.
        vocoder: How the names of its tensors begin.
    """
    rest = "float32" if dtype == "float16" else dtype
    return sum(tensor.size_as(dtype if tensor.name.startswith(vocoder) else rest) for tensor in tensors)


def _checked(
    name: str,
    stage: StageDeployment,
    findings: Findings,
    tensors: Sequence[Stored],
    decoder: DecoderConfig,
    cache: int,
    rounded: str = "",
) -> GpuMemory:
    """Holds a stage's positions and its room for keys and values against its decoder, and returns what it takes.

    Args:
        cache: Bytes that keys and values take of each GPU, unless the stage is told how many.
        rounded: How the names of those weights begin that `quantization` rounds as they are loaded.

    Raises:
        ConfigError: Anything was found, now or before.
    """
    args, most = stage.engine_args, stage.engine_args["max_model_len"]
    known = decoder.max_position_embeddings
    if most > known and "factor" not in str(decoder.rope_scaling or decoder.rope_parameters):  # vLLM stretches them
        findings.add(f"stage {name}", f"`max_model_len` is {most}, and the checkpoint has {known} positions")
    told = args.get("kv_cache_memory_bytes", cache)
    least = most * position_bytes(decoder, BYTES[args["dtype"]]) // len(stage.devices)  # or vLLM does not start
    if "kv_cache_memory_bytes" in args and told < least:
        takes = f"one request of `max_model_len` {most} takes {least}"
        findings.add(f"stage {name}", f"`kv_cache_memory_bytes` is {told}, and {takes}")
    findings.check()
    return GpuMemory(loaded_bytes(tensors, args["dtype"], args.get("quantization"), rounded), told)


def _check_tokens(stage: StageDeployment, name: str, folder: Path, ends: Sequence[str]) -> None:
    """Checks the tokenizer and the stops. Names that are not added tokens are looked up when the engine is opened."""
    added = check_tokenizer(folder)
    if all(end in added for end in ends):
        told = stage.sampling.get("stop_token_ids")
        check_stops(f"stage {name}", told, [added[end] for end in ends])


def _format(stage: StageDeployment) -> str:
    return str(stage.engine_args.get("load_format", "auto"))
