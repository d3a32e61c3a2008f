"""Opens the thinker and the talker of Qwen3-Omni on vLLM: what of their checkpoint the engines are told."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.engines.model_files import check_is_there
from pipeline.engines.qwen3_omni.prompt import LIMITS, MOST_TOKENS, OmniPrompt, omni_prompt
from pipeline.engines.qwen3_omni.talker import ANY, STAGE, OmniTalkerEngine, OmniTalkerSettings
from pipeline.engines.qwen3_omni.thinker import STAGE as THINKER_STAGE
from pipeline.engines.qwen3_omni.thinker import ThinkerEngine, ThinkerEngineSettings
from pipeline.engines.qwen3_omni.thought import HeardStates, ThoughtChunk
from pipeline.engines.vllm.cuda_graphs import GRAPHS
from pipeline.engines.vllm.kv_cache import kv_cache_bytes
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults, check_length, check_stops
from pipeline.engines.vllm.start import StartEngine, start_vllm
from pipeline.engines.vllm.warm_up import NAME, heard, heard_together, lengths, warmed
from pipeline.errors import ConfigError, RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import second
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_omni.prompt import HeardPrompt, speaker_of
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.qwen3_omni.weight_names import talker_shapes
from pipeline.models.qwen3_tts.extra_args import CODES, Choice
from pipeline.models.qwen3_tts.prompt import VoiceChoice
from pipeline.models.qwen3_tts.sentence import FramePace
from pipeline.models.registry import THINKER
from pipeline.models.shared.weight_files import BYTES, stored
from pipeline.models.shared.weight_names import check_weights
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

THINKER_DRAWS = SamplingDefaults(temperature=0.7, top_k=20, top_p=0.8)
MARGIN = 8_192  # tokens of a prompt beyond what is remembered: the system's, instructions, sound
STEP_TOKENS = 2_048  # of a step: what takes longer lets others wait
FIRST_FRAMES = 8  # of each answer that is spoken then
MOST_HEARD = 2_048  # positions that an engine is warmed with
FIRST_CHUNKS = 4  # of each answer that is given when an engine is opened
_LARGEST = {"width": 1_024, "height": 576}
SHOWN: dict[str, Any] = {  # in one prompt, at the most
    "audio": {"count": 64},
    "image": {"count": 64, **_LARGEST},
    "video": {"count": 64, "num_frames": 2, **_LARGEST},
}
ROWS = 2  # layers of a row: what goes into the thinker, and what the talker hears
PAGE_ROWS = 16
TALKER_DRAWS = SamplingDefaults(temperature=0.9, top_k=50, top_p=1.0, repetition_penalty=1.05)  # the official ones
CODE_DRAWS = Choice(temperature=1.0, top_k=50, top_p=0.8)


async def open_thinker(
    models_dir: Path,
    *,
    model: str,
    max_sessions: int,
    sampling_defaults: SamplingDefaults = THINKER_DRAWS,
    stop_token_ids: Sequence[int] | None = None,
    dtype: str = "bfloat16",
    max_model_len: int = 49_152,
    heard_positions: int = 2_048,
    hidden_state_rows: int = 65_536,
    start: StartEngine = start_vllm,
    **engine_args: Any,
) -> ThinkerEngine:
    """Checks the checkpoint in `models_dir / model`, and starts vLLM on its thinker.

    Args:
        stop_token_ids: Those that the checkpoint must have.
        heard_positions: Most of what people said that the talker is told, the newest; it has room for them beside the
            answer.
        hidden_state_rows: Most positions of sound and pictures that wait to be handed on, of all answers together.
        engine_args: For vLLM, as it names them; `compilation_config` takes the place of `GRAPHS`.

    Raises:
        ConfigError: The model is another one or incomplete, or vLLM refuses an argument.
        EngineError: The engine did not start.
    """
    folder = models_dir / model
    config = _config(folder, THINKER_STAGE, dtype)
    text = OmniText.read(folder, config)
    check_stops(f"stage {THINKER_STAGE}", stop_token_ids, text.stops)
    check_length(THINKER_STAGE, max_model_len, LIMITS.most_tokens + MARGIN + MOST_TOKENS)
    settings: dict[str, Any] = {
        "hf_overrides": {"architectures": [THINKER]},
        "dtype": dtype,
        "max_model_len": max_model_len,
        "max_num_seqs": max_sessions,
        "max_num_batched_tokens": STEP_TOKENS,
        "scheduling_policy": "priority",
        "enable_prefix_caching": True,
        "compilation_config": GRAPHS,
        "limit_mm_per_prompt": SHOWN,
        "skip_mm_profiling": True,  # of an hour of sound and films, which nobody sends
    }
    told = {**settings, **engine_args}
    requests = await start(THINKER_STAGE, folder, **told)
    how = ThinkerEngineSettings(sampling_defaults, max_model_len - MOST_TOKENS, heard_positions)
    engine = ThinkerEngine(requests, config, text, how, _layout(config, dtype, hidden_state_rows))
    most_words = min(STEP_TOKENS, told["max_num_batched_tokens"], max_model_len // 16)  # more are read in several steps
    return await warmed(engine, partial(_warm_thinker, engine, max_sessions, most_words))


async def _warm_thinker(engine: ThinkerEngine, most_answers: int, most_words: int) -> None:
    await heard(engine, first_prompt(), FIRST_CHUNKS)
    await heard_together(engine, words_only(1), FIRST_CHUNKS, most_answers)
    for words in lengths(most_words):
        await heard(engine, words_only(words), 1)


def first_prompt() -> OmniPrompt:
    """A second of sound and a second of video."""
    sound = SpokenSound(NAME, SPEECH_RATE, np.random.default_rng(0).normal(0, 0.1, SPEECH_RATE).astype(np.float32))
    history = History().with_video_turn(second(NAME, np.full((480, 640, 3), 128, np.uint8), None))
    return _asked(history.with_item(Item(NAME, "user", "", sound=sound)), "first")


def words_only(count: int) -> OmniPrompt:
    """So many words, a token each."""
    return _asked(History().with_item(Item(NAME, "user", " ".join(["one"] * count))), str(count))


def _asked(history: History, salt: str) -> OmniPrompt:
    return omni_prompt(TurnRequest(history, ResponseOptions(cache_salt=f"{NAME}.{salt}", max_tokens=FIRST_CHUNKS)))


async def open_omni_talker(
    models_dir: Path,
    *,
    model: str,
    max_sessions: int,
    voice: str = "",
    sampling_defaults: SamplingDefaults = TALKER_DRAWS,
    code_draws: Choice = CODE_DRAWS,
    stop_token_ids: Sequence[int] | None = None,
    dtype: str = "bfloat16",
    max_model_len: int = 8_192,
    hidden_state_rows: int = 65_536,
    playback_lead_s: float = 0.0,
    start: StartEngine = start_vllm,
    **engine_args: Any,
) -> OmniTalkerEngine:
    """Checks the checkpoint in `models_dir / model`, and starts vLLM on its talker.

    Args:
        voice: Who speaks; empty: the checkpoint's first voice.
        code_draws: How the codebooks after the first are drawn.
        stop_token_ids: Those that the checkpoint must have.
        max_model_len: Positions of one answer: what people said, and 12.5 frames a second.
        hidden_state_rows: Most positions of sound and pictures that wait to be read, of all answers together.
        playback_lead_s: Most sound of an answer that is drawn ahead of its playback; 0: any.
        engine_args: For vLLM, as it names them; `compilation_config` takes the place of `GRAPHS`.

    Raises:
        ConfigError: The model is another one or incomplete, or lacks the voice; or vLLM refuses an argument.
        EngineError: The engine did not start.
    """
    folder = models_dir / model
    config = _config(folder, STAGE, dtype)
    stops = (config.talker.codec_eos_token_id,)
    check_stops(f"stage {STAGE}", stop_token_ids, stops)
    speaker = voice or next(iter(config.talker.speaker_id), "")
    try:
        speaker_of(config, speaker)
    except RequestError as error:
        raise ConfigError(f"stage {STAGE}", [error.message]) from error
    if engine_args.get("load_format") != "dummy":
        wanted = dict(talker_shapes(config))
        own = [tensor for tensor in stored(folder) if tensor.name in wanted or tensor.name.startswith("talker.")]
        check_weights(wanted, own, str(folder))
    from pipeline.models.qwen3_omni.hf_config import talker_only  # of transformers, which comes with vLLM

    positions = max_sessions * max_model_len  # so that none is ever preempted: its frames could not be made again
    settings: dict[str, Any] = {
        "hf_overrides": talker_only,
        "dtype": dtype,
        "max_model_len": max_model_len,
        "max_num_seqs": max_sessions,
        "kv_cache_memory_bytes": kv_cache_bytes(config.talker.decoder, BYTES[dtype], positions),
        "skip_tokenizer_init": True,
        "enable_prefix_caching": False,
        "compilation_config": GRAPHS,
    }
    requests = await start(STAGE, folder, **{**settings, **engine_args})
    pace = FramePace(positions=max_model_len, frames=sampling_defaults.most(max_model_len), least=0, ids=ANY)
    told = OmniTalkerSettings(
        VoiceChoice(speaker), sampling_defaults.sampling(stops, CODES), code_draws, pace, playback_lead_s
    )
    engine = OmniTalkerEngine(requests, config, told, _layout(config, dtype, hidden_state_rows))
    return await warmed(
        engine, partial(_warm_talker, engine, config, max_sessions, min(MOST_HEARD, max_model_len // 4))
    )


async def _warm_talker(engine: OmniTalkerEngine, config: OmniConfig, most_answers: int, most_heard: int) -> None:
    await heard_together(engine, first_thought(config), FIRST_FRAMES, most_answers)
    for positions in lengths(most_heard):
        await heard(engine, first_thought(config, positions), 1)


def first_thought(config: OmniConfig, positions: int = 0) -> ThoughtChunk:
    """Some words to be spoken, behind so many that were heard."""
    role = (config.im_start_token_id, config.assistant_token_id, config.user_token_id)
    text = (config.user_token_id,) * positions
    before = HeardStates(HeardPrompt(text, role, ()), np.empty((0, _layout(config, "float32", 1).row_bytes), np.uint8))
    words = (config.assistant_token_id,) * FIRST_FRAMES
    return ThoughtChunk(words, words, True, before)


def _config(folder: Path, stage: str, dtype: str) -> OmniConfig:
    check_is_there(folder)
    if dtype not in BYTES:
        raise ConfigError(f"stage {stage}", [f"`dtype` is {dtype!r}, not one of {', '.join(BYTES)}"])
    return read_omni(folder)


def _layout(config: OmniConfig, dtype: str, rows: int) -> RowLayout:
    return RowLayout(ROWS, config.thinker.hidden_size, dtype, max(rows // PAGE_ROWS, 1), PAGE_ROWS)
