"""Looks whether a checkpoint of Qwen3-Omni is there, whole and as a deployment says: no torch, no vLLM."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.deployment.loading import StageDeployment
from pipeline.engines.model_files import check_is_there
from pipeline.engines.qwen3_omni.prompt import LIMITS, MOST_TOKENS
from pipeline.engines.qwen3_omni.setup import MARGIN
from pipeline.engines.qwen3_omni.talker import STAGE as TALKER
from pipeline.engines.qwen3_omni.thinker import STAGE as THINKER
from pipeline.engines.vllm.findings import Findings
from pipeline.engines.vllm.kv_cache import kv_cache_bytes, position_bytes
from pipeline.engines.vllm.sampling_defaults import check_length, check_stops
from pipeline.errors import ConfigError, RequestError
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_omni.prompt import speaker_of
from pipeline.models.qwen3_omni.text import ENDS, MARKS
from pipeline.models.qwen3_omni.weight_names import PREFIXES, code2wav_shapes, talker_shapes, thinker_shapes
from pipeline.models.shared.tokenizer import check_tokenizer
from pipeline.models.shared.weight_files import BYTES, Stored, stored, weight_bytes
from pipeline.models.shared.weight_names import check_weights, some
from pipeline.models.shared.weight_shapes import Named
from pipeline.runtime.checks.checkpoint_checks import VOCODER, decoder_bytes
from pipeline.runtime.checks.gpu_fit import GpuMemory


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in a checkpoint's folder.

    Attributes:
        config: None: it is damaged.
        tensors: None: a file is damaged.
    """

    config: OmniConfig | None
    tensors: Sequence[Stored] | None

    def of(self, prefix: str) -> list[Stored]:
        return [tensor for tensor in self.tensors or () if tensor.name.startswith(prefix)]


def check_thinker(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, findings = stage.engine_args, Findings()
    folder = models_dir / args["model"]
    looked = _looked(stage, folder, "thinker.", thinker_shapes, findings)
    most = args["max_model_len"]
    findings.look(check_length, THINKER, most, LIMITS.most_tokens + MARGIN + MOST_TOKENS)
    added = findings.look(check_tokenizer, folder)
    if added is not None:
        findings.add(str(folder), *(f"the tokenizer has no {name}" for name in MARKS if name not in added))
        if all(end in added for end in ENDS):
            stops = stage.sampling.get("stop_token_ids")
            findings.look(check_stops, f"stage {THINKER}", stops, [added[end] for end in ENDS])
    decoder = looked.config and looked.config.thinker.text
    if decoder and most > decoder.max_position_embeddings:
        known = decoder.max_position_embeddings
        findings.add(f"stage {THINKER}", f"`max_model_len` is {most}, and the checkpoint has {known} positions")
    least = most * position_bytes(decoder, BYTES[args["dtype"]]) // len(stage.devices) if decoder else 0
    told = args.get("kv_cache_memory_bytes", least)
    if told < least:
        takes = f"one request of `max_model_len` {most} takes {least}"
        findings.add(f"stage {THINKER}", f"`kv_cache_memory_bytes` is {told}, and {takes}")
    findings.check()
    return GpuMemory(weight_bytes(looked.of("thinker."), args["dtype"]), told)


def check_omni_talker(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, findings = stage.engine_args, Findings()
    folder = models_dir / args["model"]
    looked = _looked(stage, folder, "talker.", talker_shapes, findings)
    cache = 0
    if config := looked.config:
        told = stage.sampling.get("stop_token_ids")
        findings.look(check_stops, f"stage {TALKER}", told, [config.talker.codec_eos_token_id])
        findings.look(_check_voice, config, args["voice"])
        positions = stage.max_batch_size * args["max_model_len"]
        cache = kv_cache_bytes(config.talker.decoder, BYTES[args["dtype"]], positions)
    findings.check()
    return GpuMemory(weight_bytes(looked.of("talker."), args["dtype"]), args.get("kv_cache_memory_bytes", cache))


def check_omni_code2wav(stage: StageDeployment, models_dir: Path) -> GpuMemory:
    args, findings = stage.engine_args, Findings()
    looked = _looked(stage, models_dir / args["model"], "code2wav.", code2wav_shapes, findings)
    findings.check()
    return GpuMemory(decoder_bytes(looked.of("code2wav."), args["dtype"], f"code2wav.{VOCODER}"))


def _looked(
    stage: StageDeployment, folder: Path, prefix: str, shapes: Callable[[OmniConfig], Named], findings: Findings
) -> Looked:
    """A checkpoint, each of whose weights belongs to one of its three parts, and this part's own.

    Args:
        shapes: All weights of the part whose names begin with `prefix`, and what it reads of others.

    Raises:
        ConfigError: There is no such folder.
    """
    check_is_there(folder)
    looked = Looked(findings.look(read_omni, folder), findings.look(stored, folder))
    if looked.tensors is None or stage.engine_args.get("load_format") == "dummy":
        return looked
    if strange := sorted(each.name for each in looked.tensors if not each.name.startswith(PREFIXES)):
        findings.add(str(folder), f"weights that nothing uses: {some(strange)}")
    if not looked.of(prefix):
        findings.add(str(folder), f"no weights `{prefix}*` in its files `*.safetensors`")
    elif looked.config:
        wanted = dict(shapes(looked.config))
        own = [each for each in looked.tensors if each.name in wanted or each.name.startswith(prefix)]
        findings.look(check_weights, wanted, own, str(folder))
    return looked


def _check_voice(config: OmniConfig, voice: str) -> None:
    try:
        speaker_of(config, voice or next(iter(config.talker.speaker_id), ""))
    except RequestError as error:
        raise ConfigError(f"stage {TALKER}", [error.message]) from error
