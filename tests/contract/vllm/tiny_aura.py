"""Writes a tiny AURA checkpoint with seeded weights: what the published one looks like, but small enough for tests."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.seeded import Shape, decoder, linear, norm, values
from tests.contract.vllm.tiny import FIRST_ADDED, write_tokenizer

SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"),
    *("<|image_pad|>", "<|video_pad|>", "<|silent|>"),
)
IDS = {name: FIRST_ADDED + i for i, name in enumerate(SPECIAL)}
TOKENS = FIRST_ADDED + len(SPECIAL)
CALLS = {"<tool_call>": TOKENS, "</tool_call>": TOKENS + 1}
VOCABULARY = 300
TEMPLATE = (
    "{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\\n' -}}{%- if m.content is string -%}{{- m.content -}}"
    "{%- else -%}{%- for c in m.content -%}{%- if c.type == 'image' -%}"
    "{{- '<|vision_start|><|image_pad|><|vision_end|>' -}}{%- elif c.type == 'video' -%}{{- '<|video_pad|>' -}}"
    "{%- else -%}{{- c.text -}}{%- endif -%}{%- endfor -%}{%- endif -%}{{- '<|im_end|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
PATCHES = {
    "patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
    "processor_class": "Qwen3VLProcessor",
}  # fmt: skip


def write_aura(
    folder: Path, seed: int = 0, *, weights: bool = True, full_size: bool = False, calls: bool = False
) -> Path:
    """
    Args:
        full_size: The shapes of the published one, for weights that are made up; the tokenizer stays small.
        calls: It has tokens for the marks of a function call, as the published one has, and writes whatever it may.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    flags = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    named = {
        "image_token": "<|image_pad|>", "video_token": "<|video_pad|>", "vision_bos_token": "<|vision_start|>",
        "vision_eos_token": "<|vision_end|>",
    }  # fmt: skip
    tokenizer: dict[str, Any] = {
        "tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>", "processor_class": "Qwen3VLProcessor", "extra_special_tokens": named, **named,
        "chat_template": TEMPLATE,
        "added_tokens_decoder": {str(number): {"content": name, **flags} for name, number in IDS.items()},
    }  # fmt: skip
    if calls:
        marks = {str(number): {"content": name, **flags, "special": False} for name, number in CALLS.items()}
        tokenizer["added_tokens_decoder"] = {**tokenizer["added_tokens_decoder"], **marks}
    picture = {"image_processor_type": "Qwen2VLImageProcessorFast", "size": _edges(65_536, 16_777_216)}
    video = {"video_processor_type": "Qwen3VLVideoProcessor", "size": _edges(4_096, 25_165_824)}
    _write_json(folder / "tokenizer_config.json", tokenizer)
    _write_json(folder / "chat_template.json", {"chat_template": TEMPLATE})
    _write_json(folder / "preprocessor_config.json", PATCHES | picture)
    _write_json(folder / "video_preprocessor_config.json", PATCHES | video)
    _write_json(folder / "generation_config.json", {"do_sample": True, "temperature": 0.7, "top_k": 20, "top_p": 0.8})
    _write_json(folder / "config.json", full_config() if full_size else config())
    if weights:
        from safetensors.numpy import save_file

        drawn = {weight[0]: _values(seed, weight, calls=calls) for weight in tensors(config())}
        save_file(drawn, folder / "model.safetensors")
    return folder


def config() -> dict[str, Any]:
    vision = {
        "model_type": "qwen3_vl", "depth": 3, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2,
        "in_channels": 3, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2, "out_hidden_size": 64,
        "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1], "hidden_act": "gelu_pytorch_tanh",
        "initializer_range": 0.02,
    }  # fmt: skip
    text = {
        "model_type": "qwen3_vl_text", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "hidden_act": "silu",
        "rms_norm_eps": 1e-6, "rope_theta": 5e6, "max_position_embeddings": 262144, "attention_bias": False,
        "vocab_size": VOCABULARY, "bos_token_id": IDS["<|endoftext|>"], "eos_token_id": IDS["<|im_end|>"],
        "tie_word_embeddings": False, "dtype": "float32",
        "rope_scaling": {"rope_type": "default", "mrope_section": [6, 5, 5], "mrope_interleaved": True},
    }  # fmt: skip
    return {
        "architectures": ["Qwen3VLForConditionalGeneration"], "model_type": "qwen3_vl", "dtype": "float32",
        "image_token_id": IDS["<|image_pad|>"], "video_token_id": IDS["<|video_pad|>"],
        "vision_start_token_id": IDS["<|vision_start|>"], "vision_end_token_id": IDS["<|vision_end|>"],
        "tie_word_embeddings": False, "transformers_version": "4.57.1", "vision_config": vision, "text_config": text,
    }  # fmt: skip


def full_config() -> dict[str, Any]:
    """The shapes of Qwen3-VL-8B."""
    small = config()
    vision = {
        "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "out_hidden_size": 4096,
        "num_position_embeddings": 2304, "deepstack_visual_indexes": [8, 16, 24],
    }  # fmt: skip
    text = {
        "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "dtype": "bfloat16",
        "rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": True},
    }  # fmt: skip
    return small | {
        "dtype": "bfloat16", "vision_config": small["vision_config"] | vision,
        "text_config": small["text_config"] | text,
    }  # fmt: skip


def tensors(config: dict[str, Any]) -> Iterator[Shape]:
    """Name, shape, standard deviation and mean of each weight."""
    text, vision = config["text_config"], config["vision_config"]
    width = text["hidden_size"]
    yield "lm_head.weight", (text["vocab_size"], width), 0.5, 0.0
    yield "model.language_model.embed_tokens.weight", (text["vocab_size"], width), 1.0, 0.0
    yield from decoder("model.language_model.", text)
    yield from ((f"model.visual.{name}", shape, std, mean) for name, shape, std, mean in _visual(vision))


def _visual(c: dict[str, Any]) -> Iterator[Shape]:
    width, inner, out = c["hidden_size"], c["intermediate_size"], c["out_hidden_size"]
    merged = width * c["spatial_merge_size"] ** 2
    yield from linear("patch_embed.proj", (width, 3, c["temporal_patch_size"], c["patch_size"], c["patch_size"]), 2.0)
    yield "pos_embed.weight", (c["num_position_embeddings"], width), 0.3, 0.0
    for block in range(c["depth"]):
        at = f"blocks.{block}."
        yield from linear(f"{at}attn.qkv", (3 * width, width), 1.5)
        yield from linear(f"{at}attn.proj", (width, width))
        yield from linear(f"{at}mlp.linear_fc1", (inner, width))
        yield from linear(f"{at}mlp.linear_fc2", (width, inner))
        yield from chain(norm(f"{at}norm1", width), norm(f"{at}norm2", width))
    mergers = [("merger", width)]
    mergers += [(f"deepstack_merger_list.{tap}", merged) for tap in range(len(c["deepstack_visual_indexes"]))]
    for merger, normed in mergers:
        yield from norm(f"{merger}.norm", normed)
        yield from linear(f"{merger}.linear_fc1", (merged, merged))
        yield from linear(f"{merger}.linear_fc2", (out, merged), 2.0)


def _values(seed: int, weight: Shape, *, calls: bool) -> NDArray[np.float32]:
    drawn = values(seed, weight)
    if weight[0] == "lm_head.weight":
        drawn[TOKENS + len(CALLS) * calls :] = 0  # ids without a token are never the likeliest
        drawn[list(IDS.values())] *= np.float32(0.5)
        drawn *= np.float32(0.05 if calls else 1.0)  # all tokens are about as likely
    return drawn


def _edges(shortest: int, longest: int) -> dict[str, int]:
    return {"shortest_edge": shortest, "longest_edge": longest}


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
