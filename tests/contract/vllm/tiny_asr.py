"""Writes a tiny Qwen3-ASR checkpoint with seeded weights: as the published ones, but small enough for tests."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.seeded import Shape, decoder, linear, norm, values
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


def write_recogniser(folder: Path, seed: int = 0, *, weights: bool = True) -> Path:
    from safetensors.numpy import save_file

    config = recogniser()
    write_files(folder, config)
    if weights:
        drawn = {weight[0]: _values(seed, weight) for weight in tensors(config)}
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
    yield from decoder("thinker.model.", text)
    yield from _tower("thinker.audio_tower.", tower)


def _tower(at: str, c: dict[str, Any]) -> Iterator[Shape]:
    width, inner, channels = c["d_model"], c["encoder_ffn_dim"], c["downsample_hidden_size"]
    yield from linear(f"{at}conv2d1", (channels, 1, 3, 3), 1.5)
    for i in (2, 3):
        yield from linear(f"{at}conv2d{i}", (channels, channels, 3, 3), 1.5)
    yield f"{at}conv_out.weight", (width, channels * c["num_mel_bins"] // 8), (channels * 16) ** -0.5, 0.0
    for i in range(c["encoder_layers"]):
        layer = f"{at}layers.{i}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from linear(f"{layer}self_attn.{name}", (width, width), 1.5)
        yield from linear(f"{layer}fc1", (inner, width))
        yield from linear(f"{layer}fc2", (width, inner))
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            yield from norm(f"{layer}{name}", width)
    yield from norm(f"{at}ln_post", width)
    yield from linear(f"{at}proj1", (width, width))
    yield from linear(f"{at}proj2", (c["output_dim"], width))


def _values(seed: int, weight: Shape) -> NDArray[np.float32]:
    """Mostly ASCII is written; added ids are not, but for the tag and the end, which is reached now and then."""
    drawn = values(seed, weight)
    if weight[0].endswith("embed_tokens.weight"):
        drawn[:32] *= np.float32(0.4)
        drawn[128:256] *= np.float32(0.5)
        drawn[FIRST_ADDED:] *= np.float32(0.3)
        drawn[IM_END] *= np.float32(4)
        drawn[ASR_TEXT] *= np.float32(4)
    return drawn
