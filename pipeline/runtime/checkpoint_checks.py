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
from pipeline.engines.vllm.kv_cache import position_bytes
from pipeline.engines.vllm.sampling_defaults import check_stops
from pipeline.errors import ConfigError
from pipeline.models.aura.text import STOPS
from pipeline.models.qwen3_asr.tokenizer import ENDS
from pipeline.models.qwen3_tts.config import read_codec
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.tokenizer import check_tokenizer
from pipeline.models.shared.weight_files import BYTES, Stored, stored, weight_bytes
from pipeline.runtime.gpu_fit import GpuMemory

CODEC, DECODER = "speech_tokenizer", "decoder."


def check_asr(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder = models_dir / args["model"]
    config, tensors = asr.examine(folder, findings, args["language"], most, _format(stage))
    findings.look(_check_tokens, stage, ASR, folder, ENDS)
    if config:
        findings.look(_check_positions, ASR, stage, config.text)
        findings.look(_check_cache, ASR, stage, config.text)
    findings.check()
    assert config
    return _memory(stage, tensors, asr.cache_bytes(config.text, BYTES[args["dtype"]], stage.max_batch_size, most))


def check_aura(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder = models_dir / args["model"]
    config, tensors = aura.examine(folder, findings, most, _format(stage))
    findings.look(_check_tokens, stage, AURA, folder, STOPS)
    if config:
        findings.look(_check_positions, AURA, stage, config.text)
        findings.look(_check_cache, AURA, stage, config.text)
    findings.check()
    assert config
    return _memory(stage, tensors, aura.cache_bytes(config.text, BYTES[args["dtype"]], most) // len(stage.devices))


def check_tts(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, most, findings = stage.engine_args, stage.engine_args["max_model_len"], Findings()
    folder, stops = models_dir / args["model"], stage.sampling.get("stop_token_ids")
    told = {"voice": args["voice"], "stop_token_ids": stops, "max_model_len": most, "load_format": _format(stage)}
    config, tensors = talker.examine(folder, findings, **told)
    findings.look(check_tokenizer, folder)
    if config:
        findings.look(_check_positions, TALKER, stage, config.talker)
        findings.look(_check_cache, TALKER, stage, config.talker)
    findings.check()
    assert config
    return _memory(stage, tensors, talker.cache_bytes(config.talker, BYTES[args["dtype"]], stage.max_batch_size, most))


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
    return GpuMemory(weight_bytes(own, args["dtype"]))


def _memory(stage: StageDeployment, tensors: Sequence[Stored], cache: int) -> GpuMemory:
    args = stage.engine_args
    return GpuMemory(weight_bytes(tensors, args["dtype"]), args.get("kv_cache_memory_bytes", cache))


def _check_positions(name: str, stage: StageDeployment, decoder: DecoderConfig) -> None:
    """vLLM refuses more than the checkpoint was trained for. Where it stretches them, it knows by how much."""
    most, known = stage.engine_args["max_model_len"], decoder.max_position_embeddings
    stretched = "factor" in str(decoder.rope_scaling or decoder.rope_parameters)
    if most > known and not stretched:
        raise ConfigError(f"stage {name}", [f"`max_model_len` is {most}, and the checkpoint has {known} positions"])


def _check_cache(name: str, stage: StageDeployment, decoder: DecoderConfig) -> None:
    """vLLM does not start with less than the longest request takes."""
    args = stage.engine_args
    told, most = args.get("kv_cache_memory_bytes"), args["max_model_len"]
    least = most * position_bytes(decoder, BYTES[args["dtype"]]) // len(stage.devices)
    if told is not None and told < least:
        fault = f"`kv_cache_memory_bytes` is {told}, and one request of `max_model_len` {most} takes {least}"
        raise ConfigError(f"stage {name}", [fault])


def _check_tokens(stage: StageDeployment, name: str, folder: Path, ends: Sequence[str]) -> None:
    """Checks the tokenizer and the stops. Names that are not added tokens are looked up when the engine is opened."""
    added = check_tokenizer(folder)
    if all(end in added for end in ends):
        told = stage.sampling.get("stop_token_ids")
        check_stops(f"stage {name}", told, [added[end] for end in ends])


def _format(stage: StageDeployment) -> str:
    return str(stage.engine_args.get("load_format", "auto"))
