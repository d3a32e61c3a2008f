"""Opens Qwen3-ASR on vLLM: what of its checkpoint and of the deployment the engine is told."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.engines.model_files import check_beside, check_is_there
from pipeline.engines.qwen3_asr.decode_passes import DecodePasses, Doubt
from pipeline.engines.qwen3_asr.engine import STAGE, Extent, Qwen3AsrEngine, Qwen3AsrEngineSettings
from pipeline.engines.vllm.cuda_graphs import ENCODER, GRAPHS
from pipeline.engines.vllm.findings import Findings
from pipeline.engines.vllm.kv_cache import kv_cache_bytes
from pipeline.engines.vllm.quantization import faults, quantised
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults, check_length, check_stops
from pipeline.engines.vllm.start import StartEngine, start_vllm
from pipeline.engines.vllm.warm_up import NAME, read, warmed
from pipeline.errors import ConfigError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.qwen3_asr.config import AsrConfig, check_sound, read_recogniser
from pipeline.models.qwen3_asr.languages import AUTO, language_name
from pipeline.models.qwen3_asr.prompt import AsrPromptWriter
from pipeline.models.qwen3_asr.tokenizer import Ids, read_tokenizer
from pipeline.models.qwen3_asr.weight_names import expected_shapes, optional_names
from pipeline.models.registry import ASR
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.engine_io import PromptChunk
from pipeline.models.shared.weight_files import BYTES, Stored, stored
from pipeline.models.shared.weight_names import check_weights
from pipeline.types.chunks import AsrInput

AUDIO_TOKENS_PER_S, PROMPT_TOKENS = 13, 64
TOKENS_PER_S = AUDIO_TOKENS_PER_S + 2 * Extent(0).tokens_per_s  # what is written may begin the prompt, too
HEARD_S = 30  # of sound at once, at the least: no window of a caller has more than `LONGEST_WINDOW_MS`
LEAST_POSITIONS = PROMPT_TOKENS + Extent(0).least_tokens + int(HEARD_S * TOKENS_PER_S)
LIVE_S = 28.5  # of sound at once for which a context leaves room
CONTEXT_BYTES = 1_000  # of a caller's own, where there is room: 250 tokens of plain English
POSITIONS = 4_096
DRAWS = SamplingDefaults()
FIRST_S, FIRST_TOKENS = (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 8.9, 17), 2  # what it hears first, when it is opened
HEARS = "audio_tower.*"  # of vLLM's layers: those that hear are not rounded
LIVE_TOKENS = 1_024  # of a caller's utterance, whose windows have an end (`speech/speech_window.py`)


async def open_qwen3_asr(
    models_dir: Path,
    *,
    model: str,
    max_sessions: int,
    language: str = AUTO,
    context: str = "",
    sampling_defaults: SamplingDefaults = DRAWS,
    stop_token_ids: Sequence[int] | None = None,
    dtype: str = "bfloat16",
    max_model_len: int = POSITIONS,
    quantization: str | None = None,
    start: StartEngine = start_vllm,
    **engine_args: Any,
) -> Qwen3AsrEngine:
    """Checks the checkpoint in `models_dir / model`, starts vLLM on it and warms it up.

    Args:
        language: The language of callers who name none; `auto`: it is detected.
        context: Words that may be said, such as names.
        stop_token_ids: Those that the checkpoint must have.
        max_model_len: Positions of one pass: 13 a second of sound, and what is written. It limits how long
            a window may be.
        quantization: As vLLM names it. One that rounds weights as they are loaded leaves those that hear as they are.
        engine_args: For vLLM, as it names them; `compilation_config` takes the place of ours.

    Raises:
        ConfigError: The model is incomplete or another one, or lacks the language; or vLLM refuses an argument.
        EngineError: The engine did not start.
    """
    load_format = engine_args.get("load_format", "auto")
    folder, config = read_folder(models_dir, model, language, load_format, max_model_len, dtype, quantization)
    tokenizer, ids = read_tokenizer(folder)
    writer = AsrPromptWriter(tokenizer, ids.audio, context)
    if faults := _faults(config, ids, writer, max_model_len):
        raise ConfigError(f"stage {STAGE}", faults)
    check_stops(f"stage {STAGE}", stop_token_ids, ids.ends)
    from pipeline.models.qwen3_asr.media import engine_prompt

    extent = longest(max_model_len, len(writer.write(None, "").token_ids))
    frames = config.tower.n_window_infer
    settings: dict[str, Any] = {
        "hf_overrides": {"architectures": [ASR]},
        "dtype": dtype,
        "max_model_len": max_model_len,
        "max_num_seqs": max_sessions,
        "enable_prefix_caching": True,
        "scheduling_policy": "priority",
        "mm_processor_cache_gb": 0,  # the spectrum comes ready made, and its windows have names
        "compilation_config": GRAPHS | ENCODER,
        "limit_mm_per_prompt": {"audio": extent.longest_ms // (10 * frames) + 1},
        **quantised(quantization, [HEARS]),
        **engine_args,
    }
    if "kv_cache_memory_bytes" not in settings:
        settings["kv_cache_memory_bytes"] = cache_bytes(config.text, BYTES[dtype], max_sessions, max_model_len)
    requests = await start(STAGE, folder, **settings)
    passes = partial(DecodePasses, writer, frames, Doubt())
    known = config.support_languages
    spoken = _spoken(language, known)
    told_bytes = context_bytes(max_model_len, bare_tokens(writer))
    engine_settings = Qwen3AsrEngineSettings(
        model, passes, engine_prompt, sampling_defaults, ids.ends, extent, known, spoken, told_bytes
    )
    first = partial(read, requests, sampling_defaults.sampling(ids.ends), first_parts(engine_settings))
    return await warmed(Qwen3AsrEngine(requests, engine_settings), first)


def read_folder(
    models_dir: Path,
    model: str,
    language: str,
    load_format: str,
    max_model_len: int = POSITIONS,
    dtype: str = "bfloat16",
    quantization: str | None = None,
) -> tuple[Path, AsrConfig]:
    """Reads what can be told of a checkpoint without its tokenizer and its tensors.

    Raises:
        ConfigError: It is incomplete or another model's, or lacks the language, or has no room for a window.
    """
    folder, findings = models_dir / model, Findings()
    config, _ = examine(folder, findings, language, max_model_len, load_format, dtype, quantization)
    findings.check()
    assert config
    return folder, config


def examine(
    folder: Path,
    findings: Findings,
    language: str,
    max_model_len: int,
    load_format: str,
    dtype: str,
    quantization: str | None,
) -> tuple[AsrConfig | None, Sequence[Stored]]:
    """Looks at a checkpoint, of which neither the tokenizer nor a tensor is read.

    Returns:
        Its configuration, unless that is damaged, and its tensors.

    Raises:
        ConfigError: There is no such folder; all other faults are among the findings.
    """
    check_is_there(folder)
    findings.look(check_length, STAGE, max_model_len, LEAST_POSITIONS)
    config, tensors = findings.look(read_recogniser, folder), findings.look(stored, folder)
    findings.look(check_sound, folder)
    findings.look(check_beside, folder)
    findings.add(f"stage {STAGE}", *faults(quantization, dtype))
    if config:
        findings.look(_check_language, language, config.support_languages)
    if config and tensors is not None and load_format != "dummy":
        expected = dict(expected_shapes(config))
        findings.look(check_weights, expected, tensors, str(folder), optional_names(config))
    return config, tensors or ()


def _check_language(language: str, known: Sequence[str]) -> None:
    if language != AUTO and _spoken(language, known) is None:
        names = ", ".join(sorted(known))
        raise ConfigError(f"stage {STAGE}", [f"`language` is {language!r}, not one of {names} or `{AUTO}`"])


def first_parts(engine_settings: Qwen3AsrEngineSettings) -> Iterator[PromptChunk]:
    """Sounds of all lengths that the encoder computes in ways of their own, with a draft, and a few tokens of each."""
    noise = np.random.default_rng(0).normal(0, 0.1, int(max(FIRST_S) * SPEECH_RATE)).astype(np.float32)
    for seconds in FIRST_S:
        if seconds * 1000 <= engine_settings.extent.longest_ms:
            request = engine_settings.passes().ask(
                AsrInput(noise[: int(seconds * SPEECH_RATE)], None, True), engine_settings.language
            )
            token_ids, media = engine_settings.prompt(request.prompt, request.windows)
            yield PromptChunk(token_ids, FIRST_TOKENS, FIRST_TOKENS, media=media, cache_salt=NAME, draft=token_ids[:1])


def longest(max_model_len: int, prompt_tokens: int) -> Extent:
    """Sound of which neither the tokens nor what is written can be too many."""
    return Extent(int(_room(max_model_len, prompt_tokens) / TOKENS_PER_S * 1000))


def context_bytes(max_model_len: int, prompt_tokens: int) -> int:
    """A caller's context that leaves room to hear what one utterance holds at most: a token is a byte at least.

    Args:
        prompt_tokens: Tokens of a prompt with no context.
    """
    left = _room(max_model_len, prompt_tokens) - math.ceil(LIVE_S * TOKENS_PER_S)
    return min(CONTEXT_BYTES, max(0, left))


def bare_tokens(writer: AsrPromptWriter) -> int:
    """Counts the tokens of a prompt with no context."""
    return len(replace(writer, context="").write(None, "").token_ids)


def _room(max_model_len: int, prompt_tokens: int) -> int:
    """Tokens that are left for sound, and for what is written as it grows with it."""
    return max_model_len - prompt_tokens - PROMPT_TOKENS - Extent(0).least_tokens


def cache_bytes(text: DecoderConfig, size: int, sessions: int, max_model_len: int) -> int:
    """Room for every caller's utterance, and beside them for one that is as long as it may be."""
    return kv_cache_bytes(text, size, sessions * LIVE_TOKENS + max_model_len)


def _spoken(language: str, known: Sequence[str]) -> str | None:
    """As the model names it; None where it finds out."""
    return None if language == AUTO else language_name(language, known)


def _faults(config: AsrConfig, ids: Ids, writer: AsrPromptWriter, max_model_len: int) -> list[str]:
    faults = []
    if config.audio_token_id != ids.audio:
        faults.append(f"`audio_token_id` is {config.audio_token_id}, but the tokenizer says {ids.audio}")
    return faults + _context_faults(writer, ids, max_model_len)


def _context_faults(writer: AsrPromptWriter, ids: Ids, max_model_len: int) -> list[str]:
    if writer.context.encode(errors="ignore").decode() != writer.context:
        return ["`context` holds half a character"]
    token_ids = writer.write(None, "").token_ids
    if token_ids.count(ids.audio) != 1 or "<|" in writer.context:
        return ["`context` holds the name of a token"]
    if longest(max_model_len, len(token_ids)).longest_ms < LIVE_S * 1000:
        taken = len(token_ids) - bare_tokens(writer)
        return [f"`context` has {taken:,} tokens: of {max_model_len:,} too few are left to hear {LIVE_S} s at once"]
    return []
