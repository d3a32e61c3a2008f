"""Writes a tiny Qwen3-ASR checkpoint with seeded weights: as the published ones, but small enough for tests."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.tiny import FIRST_ADDED, write_tokenizer

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|audio_start|>", "<|audio_end|>", "<|audio_pad|>")
TEXT = "<asr_text>"  # added, but not special: it stays in decoded text
ENDOFTEXT, IM_START, IM_END, AUDIO_START, AUDIO_END, AUDIO_PAD, ASR_TEXT = range(FIRST_ADDED, FIRST_ADDED + 7)
VOCABULARY = FIRST_ADDED + 7
LANGUAGES = ["Chinese", "English", "Cantonese", "German"]
TEMPLATE = (
    "{%- set ns = namespace(text='', audio='') -%}{%- for m in messages -%}"
    "{%- if m.role == 'system' and m.content is string -%}{%- set ns.text = ns.text + m.content -%}{%- endif -%}"
    "{%- for c in m.content if m.content is not string -%}{%- if c.type == 'audio' -%}"
    "{%- set ns.audio = ns.audio + '<|audio_start|><|audio_pad|><|audio_end|>' -%}{%- endif -%}{%- endfor -%}"
    "{%- endfor -%}{{- '<|im_start|>system\\n' + ns.text + '<|im_end|>\\n<|im_start|>user\\n' + ns.audio + "
    "'<|im_end|>\\n' -}}{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
Shape = tuple[str, tuple[int, ...], float, float]


def write_recogniser(folder: Path, seed: int = 0, *, weights: bool = True) -> Path:
    from safetensors.numpy import save_file

    config = recogniser()
    write_files(folder, config)
    if weights:
        drawn = {name: _values(name, seed, shape, std, mean) for name, shape, std, mean in tensors(config)}
        save_file(drawn, folder / "model.safetensors")
    return folder


def write_files(folder: Path, config: dict[str, Any]) -> None:
    """All but the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    flags = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False}
    added = {
        str(FIRST_ADDED + i): {"content": text, "special": text != TEXT, **flags}
        for i, text in enumerate((*SPECIAL, TEXT))
    }
    named = {"audio_token": SPECIAL[5], "audio_bos_token": SPECIAL[3], "audio_eos_token": SPECIAL[4]}
    tokenizer = {
        "tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "added_tokens_decoder": added,
        "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "processor_class": "Qwen3ASRProcessor",
        "extra_special_tokens": named, "chat_template": TEMPLATE, **named,
    }  # fmt: skip
    sound = {
        "feature_extractor_type": "WhisperFeatureExtractor", "processor_class": "Qwen3ASRProcessor",
        "feature_size": 128, "sampling_rate": 16000, "hop_length": 160, "n_fft": 400, "chunk_length": 30,
        "n_samples": 480000, "nb_max_frames": 3000, "dither": 0.0, "padding_side": "right", "padding_value": 0.0,
        "return_attention_mask": True,
    }  # fmt: skip
    generation = {"do_sample": False, "eos_token_id": [ENDOFTEXT, IM_END], "pad_token_id": ENDOFTEXT}
    for name, value in (
        ("config", config),
        ("tokenizer_config", tokenizer),
        ("preprocessor_config", sound),
        ("generation_config", generation),
        ("chat_template", {"chat_template": TEMPLATE}),
    ):
        (folder / f"{name}.json").write_text(json.dumps(value, indent=1) + "\n")


def recogniser() -> dict[str, Any]:
    tower = {
        "model_type": "qwen3_asr_audio_encoder", "num_mel_bins": 128, "d_model": 32, "encoder_layers": 2,
        "output_dim": 32, "encoder_attention_heads": 2, "encoder_ffn_dim": 64, "downsample_hidden_size": 8,
        "n_window": 50, "n_window_infer": 800, "conv_chunksize": 500, "max_source_positions": 1500,
        "activation_function": "gelu", "scale_embedding": False, "dropout": 0, "attention_dropout": 0,
        "activation_dropout": 0, "initializer_range": 0.02,
    }  # fmt: skip
    rope = {
        "rope_type": "default", "type": "default", "interleaved": True, "mrope_interleaved": True,
        "mrope_section": [6, 5, 5],
    }  # fmt: skip
    text = {
        "model_type": "qwen3", "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
        "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 1e6, "rope_scaling": rope, "use_cache": True,
        "max_position_embeddings": 65536, "attention_bias": False, "attention_dropout": 0.0,
        "tie_word_embeddings": True, "initializer_range": 0.02,
    }  # fmt: skip
    thinker = {
        "model_type": "qwen3_asr", "dtype": "float32", "audio_token_id": AUDIO_PAD,
        "audio_start_token_id": AUDIO_START, "audio_end_token_id": AUDIO_END, "initializer_range": 0.02,
        "audio_config": tower, "text_config": text,
    }  # fmt: skip
    return {
        "architectures": ["Qwen3ASRForConditionalGeneration"], "model_type": "qwen3_asr", "dtype": "float32",
        "support_languages": LANGUAGES, "transformers_version": "4.57.1", "thinker_config": thinker,
    }  # fmt: skip


def tensors(config: dict[str, Any]) -> Iterator[Shape]:
    """Name, shape, standard deviation and mean of each weight."""
    text, tower = config["thinker_config"]["text_config"], config["thinker_config"]["audio_config"]
    yield "thinker.model.embed_tokens.weight", (text["vocab_size"], text["hidden_size"]), 0.3, 0.0
    yield from _decoder("thinker.model.", text)
    yield from _tower("thinker.audio_tower.", tower)


def _decoder(at: str, c: dict[str, Any]) -> Iterator[Shape]:
    width, inner, head = c["hidden_size"], c["intermediate_size"], c["head_dim"]
    queries, keys = c["num_attention_heads"] * head, c["num_key_value_heads"] * head
    for i in range(c["num_hidden_layers"]):
        layer = f"{at}layers.{i}."
        for name, source, out, gain in (
            ("self_attn.q_proj", width, queries, 1.0),
            ("self_attn.k_proj", width, keys, 1.0),
            ("self_attn.v_proj", width, keys, 1.0),
            ("self_attn.o_proj", queries, width, 1.0),
            ("mlp.gate_proj", width, inner, 1.5),
            ("mlp.up_proj", width, inner, 1.5),
            ("mlp.down_proj", inner, width, 1.5),
        ):
            yield f"{layer}{name}.weight", (out, source), gain / source**0.5, 0.0
        for name, size, mean in (
            ("self_attn.q_norm", head, 1.5),
            ("self_attn.k_norm", head, 1.5),
            ("input_layernorm", width, 1.0),
            ("post_attention_layernorm", width, 1.0),
        ):
            yield f"{layer}{name}.weight", (size,), 0.1, mean
    yield f"{at}norm.weight", (width,), 0.1, 1.0


def _tower(at: str, c: dict[str, Any]) -> Iterator[Shape]:
    width, inner, channels = c["d_model"], c["encoder_ffn_dim"], c["downsample_hidden_size"]
    yield from _linear(f"{at}conv2d1", (channels, 1, 3, 3), 1.5)
    for i in (2, 3):
        yield from _linear(f"{at}conv2d{i}", (channels, channels, 3, 3), 1.5)
    yield f"{at}conv_out.weight", (width, channels * c["num_mel_bins"] // 8), (channels * 16) ** -0.5, 0.0
    for i in range(c["encoder_layers"]):
        layer = f"{at}layers.{i}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from _linear(f"{layer}self_attn.{name}", (width, width), 1.5)
        yield from _linear(f"{layer}fc1", (inner, width))
        yield from _linear(f"{layer}fc2", (width, inner))
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            yield from _norm(f"{layer}{name}", width)
    yield from _norm(f"{at}ln_post", width)
    yield from _linear(f"{at}proj1", (width, width))
    yield from _linear(f"{at}proj2", (c["output_dim"], width))


def _linear(name: str, shape: tuple[int, ...], gain: float = 1.0) -> Iterator[Shape]:
    yield f"{name}.weight", shape, float(gain / np.prod(shape[1:]) ** 0.5), 0.0
    yield f"{name}.bias", shape[:1], 0.1, 0.0


def _norm(name: str, width: int) -> Iterator[Shape]:
    yield f"{name}.weight", (width,), 0.1, 1.0
    yield f"{name}.bias", (width,), 0.1, 0.0


def _values(name: str, seed: int, shape: tuple[int, ...], deviation: float, mean: float) -> NDArray[np.float32]:
    """Mostly ASCII is written; added ids are not, but for the tag and the end, which is reached now and then."""
    drawn = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape, dtype=np.float32)
    values = drawn * np.float32(deviation) + np.float32(mean)
    if name.endswith("embed_tokens.weight"):
        values[:32] *= np.float32(0.4)
        values[128:256] *= np.float32(0.5)
        values[FIRST_ADDED:] *= np.float32(0.3)
        values[IM_END] *= np.float32(4)
        values[ASR_TEXT] *= np.float32(4)
    return values
