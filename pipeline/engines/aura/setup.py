"""Opens AURA on vLLM: what of its checkpoint and of the deployment the engine is told."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.engines.aura.engine import STAGE, AuraEngine, AuraEngineSettings
from pipeline.engines.aura.prompt import LIMITS, MOST_TOKENS, multimodal_prompt
from pipeline.engines.model_files import check_beside, check_is_there
from pipeline.engines.vllm.cuda_graphs import GRAPHS, LOOKING
from pipeline.engines.vllm.findings import Findings
from pipeline.engines.vllm.quantization import faults, quantised
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults, check_length, check_stops
from pipeline.engines.vllm.start import StartEngine, start_vllm
from pipeline.engines.vllm.warm_up import NAME, heard, warmed
from pipeline.errors import ConfigError
from pipeline.media.video_chunk import second
from pipeline.models.aura.config import MEDIA, UNKNOWN, AuraConfig, check_media, read_aura
from pipeline.models.aura.text import FPS, AuraText
from pipeline.models.aura.weight_names import expected_shapes, optional_names
from pipeline.models.registry import AURA
from pipeline.models.shared.weight_files import Stored, stored
from pipeline.models.shared.weight_names import check_names, check_weights
from pipeline.types.chunks import MultimodalPrompt
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

LARGEST = {"width": 1_024, "height": 576}  # of a frame: what vLLM keeps memory for
MARGIN = 8_192  # tokens of a prompt beyond what is remembered: the system's, instructions
STEP_TOKENS = 1_024  # a question waits for the step that is going on: about 20 ms of an H100's
MOST_SESSIONS = STEP_TOKENS // 2  # each has two prompts at once, and vLLM has no more of them than a step has tokens
LONG_TOKENS = STEP_TOKENS // 2  # of one prompt in a step while others wait: vLLM lets what it has begun go first
HOLDING = "pipeline.engines.vllm.scheduling.question_first.QuestionFirstScheduler"
BLOCK_TOKENS = 64  # each block of a prompt is hashed for every request: larger ones are fewer
# They would change what a clip becomes.
UNTOLD = ("mm_device_do_normalize", "mm_processor_kwargs", "video_pruning_rate")
CLIP_GB = 0.008  # of vLLM's cache, for one second of 640 x 480
DRAWS = SamplingDefaults(temperature=0.5)
FIRST_TOKENS = 4  # of the answer that it gives when it is opened
SEES = "visual.*"  # of vLLM's layers: those that see are not rounded


async def open_aura(
    models_dir: Path,
    *,
    model: str,
    max_sessions: int,
    sampling_defaults: SamplingDefaults = DRAWS,
    stop_token_ids: Sequence[int] | None = None,
    dtype: str = "bfloat16",
    max_model_len: int = 49_152,
    quantization: str | None = None,
    patient_tokens: int = 0,
    start: StartEngine = start_vllm,
    **engine_args: Any,
) -> AuraEngine:
    """Checks the checkpoint in `models_dir / model`, starts vLLM on it and warms it up.

    Args:
        stop_token_ids: Those that the checkpoint must have.
        max_model_len: Positions of a prompt and its answer.
        quantization: As vLLM names it. One that rounds weights as they are loaded leaves those that see as they are.
        patient_tokens: Of prompts that nobody waits for, in a step; none of them in steps in which a question waits for
            its first tokens. 0: vLLM's own scheduler fills steps with them.
        engine_args: For vLLM, as it names them; `compilation_config` takes the place of ours.

    Raises:
        ConfigError: The model is incomplete or another one, or vLLM refuses an argument.
        EngineError: The engine did not start.
    """
    if faults := [
        f"`{name}` cannot be set: clips are made ready for vLLM here" for name in UNTOLD if name in engine_args
    ]:
        raise ConfigError(f"stage {STAGE}", faults)
    folder, findings = models_dir / model, Findings()
    examine(folder, findings, max_model_len, engine_args.get("load_format", "auto"), dtype, quantization)
    findings.check()
    text = AuraText.read(folder)
    check_stops(f"stage {STAGE}", stop_token_ids, text.stops)
    held = {"scheduler_cls": HOLDING, "max_num_scheduled_tokens": patient_tokens} if patient_tokens else {}
    rounded = quantised(quantization, [SEES])
    told = settings(max_sessions, dtype, max_model_len) | rounded | held | engine_args
    requests = await start(STAGE, folder, **told)
    engine = AuraEngine(requests, text, AuraEngineSettings(sampling_defaults, max_model_len - MOST_TOKENS))
    return await warmed(engine, partial(heard, engine, first_scene(), FIRST_TOKENS))


def first_scene() -> MultimodalPrompt:
    """A second of video and a question, which a few tokens answer."""
    frame = np.full((480, 640, 3), 128, np.uint8)
    history = History().with_video_turn(second(NAME, frame, None)).with_item(Item(NAME, "user", "What do you see?"))
    return multimodal_prompt(
        TurnRequest(history, ResponseOptions(modality="text", cache_salt=NAME, max_tokens=FIRST_TOKENS))
    )


def settings(sessions: int, dtype: str, max_model_len: int) -> dict[str, Any]:
    """vLLM's arguments, but for what a deployment adds. A session may have one prompt answered and one prefilled."""
    seconds = LIMITS.keep_s + 2 * LIMITS.slack_s
    return {
        "hf_overrides": {"architectures": [AURA]},
        "dtype": dtype,
        "max_model_len": max_model_len,
        "max_num_seqs": 2 * sessions,
        "max_num_batched_tokens": STEP_TOKENS,
        "long_prefill_token_threshold": LONG_TOKENS,
        "enable_prefix_caching": True,
        "block_size": BLOCK_TOKENS,
        "scheduling_policy": "priority",
        "structured_outputs_config": {"backend": "xgrammar"},  # of calls; vLLM would choose by the first one
        "compilation_config": GRAPHS | LOOKING,  # longer steps than the largest run without one
        "limit_mm_per_prompt": {
            "video": {"count": 2 * seconds, "num_frames": FPS, **LARGEST},
            "image": {"count": 64, **LARGEST},
        },
        "mm_processor_cache_gb": max(1.0, sessions * seconds * CLIP_GB),
    }


def examine(
    folder: Path, findings: Findings, max_model_len: int, load_format: str, dtype: str, quantization: str | None
) -> tuple[AuraConfig | None, Sequence[Stored]]:
    """Looks at a checkpoint, of which neither the tokenizer nor a tensor is read.

    Returns:
        Its configuration, unless that is damaged, and its tensors.

    Raises:
        ConfigError: There is no such folder; all other faults are among the findings.
    """
    check_is_there(folder)
    findings.look(check_length, STAGE, max_model_len, LIMITS.most_tokens + MARGIN + MOST_TOKENS)
    config, tensors = findings.look(read_aura, folder), findings.look(stored, folder)
    for file, chunk in MEDIA:
        findings.look(check_media, folder, file, chunk, config.vision if config else UNKNOWN)
    findings.look(check_beside, folder)
    findings.add(f"stage {STAGE}", *faults(quantization, dtype, config and config.quantization_config))
    if config and tensors is not None and load_format != "dummy":
        findings.look(check_own_weights, config, tensors, str(folder))
    return config, tensors or ()


def check_own_weights(config: AuraConfig, tensors: Sequence[Stored], source: str) -> None:
    """Checks that the tensors are those which the configuration asks for; of quantised ones, only their names.

    Raises:
        ConfigError: Weights are missing, unused, or of another shape or kind; lists their names.
    """
    expected = dict(expected_shapes(config))
    if not config.quantization_config:
        return check_weights(expected, tensors, source, optional_names(config))
    matrices = {name.rpartition(".")[0] for name in expected.keys() - set(optional_names(config))}
    there = {tensor.name.rpartition(".")[0] for tensor in tensors}  # of each something, as vLLM knows
    check_names(matrices, matrices & there, source)
