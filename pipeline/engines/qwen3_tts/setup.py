"""Opens the Talker on vLLM: what of its checkpoint and of the deployment the engine is told."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.engines.model_files import check_is_there
from pipeline.engines.qwen3_tts.engine import STAGE, TalkerEngine, TalkerEngineSettings
from pipeline.engines.vllm.cuda_graphs import GRAPHS
from pipeline.engines.vllm.findings import Findings
from pipeline.engines.vllm.kv_cache import kv_cache_bytes
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults, check_length, check_stops
from pipeline.engines.vllm.start import StartEngine, start_vllm
from pipeline.engines.vllm.warm_up import heard_together, warmed
from pipeline.errors import ConfigError, RequestError
from pipeline.models.qwen3_tts.config import GenerationConfig, VoiceConfig, read_generation, read_voice
from pipeline.models.qwen3_tts.extra_args import CODES, Choice
from pipeline.models.qwen3_tts.prompt import MOST_INSTRUCTIONS, TalkerPromptWriter, VoiceChoice
from pipeline.models.qwen3_tts.sentence import ENOUGH_IDS, FramePace
from pipeline.models.qwen3_tts.tokenizer import read_tokenizer
from pipeline.models.qwen3_tts.weight_names import ELSEWHERE, expected_shapes
from pipeline.models.registry import TALKER
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.weight_files import BYTES, Stored, stored
from pipeline.models.shared.weight_names import check_weights
from pipeline.types.chunks import Clause

PROMPT_TOKENS = 256  # instructions, and the names of a voice; each id of a text is read beside a frame of its own
TOKEN_CHARACTERS = 2  # of instructions, at the least in languages with words
FIRST_CHUNKS = 8  # of each sentence that it says when it is opened: all of a batch are under way with them


def read_writer(folder: Path, max_instructions_length: int = MOST_INSTRUCTIONS) -> TalkerPromptWriter:
    """Reads what writes the prompts of a checkpoint.

    Args:
        max_instructions_length: Most characters of how to speak.

    Raises:
        ConfigError: The model is incomplete or another one, or only clones voices.
    """
    tokenize = read_tokenizer(folder)
    return TalkerPromptWriter(read_voice(folder), tokenize, max_instructions_length, tokenize.control)


def examine(
    folder: Path,
    findings: Findings,
    *,
    voice: str,
    stop_token_ids: Sequence[int] | None,
    max_model_len: int,
    load_format: str,
    max_instructions_length: int = MOST_INSTRUCTIONS,
) -> tuple[VoiceConfig | None, Sequence[Stored]]:
    """Looks whether a checkpoint is whole and agrees with a deployment; neither tokenizer nor tensors are read.

    Returns:
        Its configuration, unless that is damaged, and its tensors.

    Raises:
        ConfigError: There is no such folder; all other faults are among the findings.
    """
    check_is_there(folder)
    prompt_tokens = max(PROMPT_TOKENS, max_instructions_length // TOKEN_CHARACTERS)
    findings.look(check_length, STAGE, max_model_len, prompt_tokens + ENOUGH_IDS)
    config, tensors = findings.look(read_voice, folder), findings.look(stored, folder)
    findings.look(read_generation, folder)
    if config:
        findings.look(check_stops, f"stage {STAGE}", stop_token_ids, stops_of(config))
        findings.look(_check_voice, config, voice)
    if config and tensors is not None and load_format != "dummy":
        own = [tensor for tensor in tensors if not tensor.name.startswith(ELSEWHERE)]
        findings.look(check_weights, dict(expected_shapes(config)), own, str(folder))
    return config, tensors or ()


def _check_voice(config: VoiceConfig, voice: str) -> None:
    try:
        TalkerPromptWriter(config, lambda text: []).check(VoiceChoice(first_voice(config, voice)))
    except RequestError as error:
        raise ConfigError(f"stage {STAGE}", [error.message]) from error


def stops_of(config: VoiceConfig) -> tuple[int, ...]:
    return (config.talker.codec_eos_token_id,)


def first_voice(config: VoiceConfig, voice: str) -> str:
    """The speaker of clauses that name none: `voice`, or the checkpoint's first, if it has any."""
    return voice or next(iter(config.talker.spk_id), "")


async def open_talker(
    models_dir: Path,
    *,
    model: str,
    max_sessions: int,
    voice: str = "",
    sampling_defaults: SamplingDefaults | None = None,
    stop_token_ids: Sequence[int] | None = None,
    dtype: str = "bfloat16",
    max_model_len: int = 2_048,
    max_instructions_length: int = MOST_INSTRUCTIONS,
    playback_lead_s: float = 0.0,
    start: StartEngine = start_vllm,
    **engine_args: Any,
) -> TalkerEngine:
    """Checks the checkpoint in `models_dir / model`, starts vLLM on its talker and warms it up.

    Args:
        voice: The speaker of clauses that name none; empty: the checkpoint's first, if it has any.
        sampling_defaults: How codebook 0 is drawn, and most frames of a sentence; None: as the checkpoint says.
        stop_token_ids: Those that the checkpoint must have.
        max_model_len: Positions of one sentence: its prompt, and 12.5 frames a second.
        max_instructions_length: Most characters in which a clause may say how to speak.
        playback_lead_s: Most sound of an answer that is drawn ahead of its playback; 0: any.
        engine_args: For vLLM, as it names them; `compilation_config` takes the place of `GRAPHS`.

    Raises:
        ConfigError: The model is incomplete or another one, or lacks the voice; or vLLM refuses an argument.
        EngineError: The engine did not start.
    """
    folder, findings = models_dir / model, Findings()
    if dtype not in BYTES:
        raise ConfigError(f"stage {STAGE}", [f"`dtype` is {dtype!r}, not one of {', '.join(BYTES)}"])
    load_format = engine_args.get("load_format", "auto")
    config, _ = examine(
        folder,
        findings,
        voice=voice,
        stop_token_ids=stop_token_ids,
        max_model_len=max_model_len,
        load_format=load_format,
        max_instructions_length=max_instructions_length,
    )
    tokenize = findings.look(read_tokenizer, folder)
    findings.check()
    assert config is not None and tokenize is not None
    writer = TalkerPromptWriter(config, tokenize, max_instructions_length, tokenize.control)
    speaker, stops, generation = first_voice(config, voice), stops_of(config), read_generation(folder)
    settings: dict[str, Any] = {
        "hf_overrides": {"architectures": [TALKER]},
        "dtype": dtype,
        "max_model_len": max_model_len,
        "max_num_seqs": max_sessions,
        "kv_cache_memory_bytes": cache_bytes(config.talker, BYTES[dtype], max_sessions, max_model_len),
        "skip_tokenizer_init": True,
        "enable_prefix_caching": False,
        "compilation_config": GRAPHS,
    }
    requests = await start(STAGE, folder, **{**settings, **engine_args})
    sampling_defaults = sampling_defaults or own_sampling(generation)
    pace = FramePace(positions=max_model_len, frames=sampling_defaults.most(max_model_len))
    talker = TalkerEngine(
        requests,
        writer,
        TalkerEngineSettings(
            speaker, sampling_defaults.sampling(stops, CODES), choice(generation), pace, playback_lead_s
        ),
    )
    first = partial(heard_together, talker, Clause("Hello.", speaker), FIRST_CHUNKS, max_sessions)
    return await warmed(talker, first)


def own_sampling(generation: GenerationConfig) -> SamplingDefaults:
    return SamplingDefaults(
        temperature=generation.temperature if generation.do_sample else 0.0,
        top_k=generation.top_k,
        top_p=generation.top_p,
        repetition_penalty=generation.repetition_penalty,
    )


def choice(generation: GenerationConfig) -> Choice:
    temperature = generation.subtalker_temperature if generation.subtalker_dosample else 0.0
    return Choice(temperature, generation.subtalker_top_k, generation.subtalker_top_p)


def cache_bytes(talker: DecoderConfig, size: int, requests: int, positions: int) -> int:
    """Room for every request at its longest, so that none is ever preempted: its frames could not be made again."""
    return kv_cache_bytes(talker, size, requests * positions)
