"""Writes a tiny Qwen3-Omni checkpoint with seeded weights: the official architectures and format, but small.

The official model is built from the configuration, each of its weights is drawn by its own name, and it is saved as
the published checkpoints are.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.seeded import values
from tests.contract.vllm.tiny import FIRST_ADDED, write_tokenizer
from tests.contract.vllm.tiny_aura import PATCHES

SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|audio_start|>", "<|audio_end|>", "<|audio_pad|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    *("<tts_pad>", "<tts_text_bos>", "<tts_text_eod>"),
)
IDS = {name: FIRST_ADDED + i for i, name in enumerate(SPECIAL)}
SYSTEM, USER, ASSISTANT, NEWLINE = ord("s"), 266, 263, 10  # as `tiny.write_tokenizer` numbers words
VOCABULARY = 320
LAYER = 3  # the talker hears what is no text through the thinker's third layer
END_OF_SPEECH = 2150
SPEAKERS = {"ethan": 2302, "chelsie": 2301}


def write_omni(folder: Path, seed: int = 0, *, endless: bool = False) -> Path:
    """Writes it, and returns where.

    Args:
        endless: The voice finds no end: it speaks as long as it may.
    """
    import torch
    from transformers import Qwen3OmniMoeConfig, Qwen3OmniMoeForConditionalGeneration

    with torch.device("meta"):
        model = Qwen3OmniMoeForConditionalGeneration(Qwen3OmniMoeConfig(**config()))
    model = model.to_empty(device="cpu").float()
    drawn = {name: torch.from_numpy(_drawn(seed, name, tuple(w.shape))) for name, w in model.named_parameters()}
    if endless:
        drawn["talker.codec_head.weight"][END_OF_SPEECH] = 0.0
    model.load_state_dict(drawn, strict=False)
    model.save_pretrained(folder)
    _write_processor(folder)
    return folder


def _write_processor(folder: Path) -> None:
    write_tokenizer(folder)
    flags = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    named = {
        "image_token": "<|image_pad|>", "audio_token": "<|audio_pad|>", "video_token": "<|video_pad|>",
        "audio_bos_token": "<|audio_start|>", "audio_eos_token": "<|audio_end|>",
        "vision_bos_token": "<|vision_start|>", "vision_eos_token": "<|vision_end|>",
    }  # fmt: skip
    tokenizer = {
        "tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>", "processor_class": "Qwen3OmniMoeProcessor", "extra_special_tokens": named,
        "added_tokens_decoder": {str(number): {"content": name, **flags} for name, number in IDS.items()}, **named,
    }  # fmt: skip
    media = PATCHES | {
        "image_processor_type": "Qwen2VLImageProcessor", "feature_extractor_type": "WhisperFeatureExtractor",
        "processor_class": "Qwen3OmniMoeProcessor", "min_pixels": 3136, "max_pixels": 12845056,
        "feature_size": 128, "sampling_rate": 16000, "hop_length": 160, "n_fft": 400, "chunk_length": 30,
        "n_samples": 4800000, "nb_max_frames": 30000, "dither": 0.0, "padding_side": "right", "padding_value": 0.0,
        "return_attention_mask": True,
    }  # fmt: skip
    for name, value in (("tokenizer_config", tokenizer), ("preprocessor_config", media)):
        (folder / f"{name}.json").write_text(json.dumps(value, indent=1) + "\n")


def write_files(folder: Path, *, full_size: bool) -> Path:
    """Writes all but the weights, which are made up: small, or with the shapes of Qwen3-Omni-30B-A3B."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_processor(folder)
    (folder / "config.json").write_text(json.dumps(full_config() if full_size else config(), indent=1) + "\n")
    return folder


def official(folder: Path) -> Any:
    """The official model, greedy throughout."""
    import torch
    from transformers import Qwen3OmniMoeForConditionalGeneration

    return Qwen3OmniMoeForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()


def config() -> dict[str, Any]:
    """What the published `config.json` says, with small sizes."""
    rope = {"rope_type": "default", "rope_theta": 1e6}
    turned = rope | {"mrope_section": [6, 5, 5], "mrope_interleaved": True, "interleaved": True}
    heads = {
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "hidden_act": "silu", "rms_norm_eps": 1e-6,
        "max_position_embeddings": 65536, "attention_bias": False, "tie_word_embeddings": False,
    }  # fmt: skip
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "decoder_sparse_step": 1, "mlp_only_layers": []}
    media = {
        "audio_token_id": IDS["<|audio_pad|>"], "image_token_id": IDS["<|image_pad|>"],
        "video_token_id": IDS["<|video_pad|>"], "audio_start_token_id": IDS["<|audio_start|>"],
        "vision_start_token_id": IDS["<|vision_start|>"], "position_id_per_seconds": 13,
    }  # fmt: skip
    thinker = media | {
        "model_type": "qwen3_omni_moe_thinker", "dtype": "float32", "user_token_id": USER,
        "audio_end_token_id": IDS["<|audio_end|>"], "vision_end_token_id": IDS["<|vision_end|>"],
        "audio_config": {
            "num_mel_bins": 128, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 64,
            "d_model": 64, "n_window": 50, "n_window_infer": 800, "output_dim": 64, "conv_chunksize": 500,
            "downsample_hidden_size": 8, "max_source_positions": 1500,
        },
        "vision_config": {
            "depth": 3, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2, "in_channels": 3,
            "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2, "out_hidden_size": 64,
            "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1], "hidden_act": "gelu_pytorch_tanh",
            "image_size": 128, "apply_vit_abs_pos_embed": True, "tokens_per_second": 2,
        },
        "text_config": heads | experts | {
            "hidden_size": 64, "intermediate_size": 128, "moe_intermediate_size": 32, "num_hidden_layers": 4,
            "vocab_size": VOCABULARY, "norm_topk_prob": True, "rope_scaling": turned, "rope_theta": 1e6,
        },
    }  # fmt: skip
    talker = media | {
        "model_type": "qwen3_omni_moe_talker", "thinker_hidden_size": 64, "num_code_groups": 16,
        "accept_hidden_layer": LAYER, "codec_eos_token_id": END_OF_SPEECH, "codec_nothink_id": 2155,
        "codec_think_bos_id": 2156, "codec_think_eos_id": 2157, "codec_pad_id": 2148, "codec_bos_id": 2149,
        "speaker_id": SPEAKERS, "spatial_merge_size": 2,
        "text_config": heads | experts | {
            "hidden_size": 64, "intermediate_size": 96, "moe_intermediate_size": 32, "num_hidden_layers": 3,
            "shared_expert_intermediate_size": 32, "vocab_size": 3072, "norm_topk_prob": False,
            "rope_scaling": turned, "rope_theta": 1e6,
        },
        "code_predictor_config": heads | {
            "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 2048,
            "num_code_groups": 16, "rope_parameters": rope,
        },
    }  # fmt: skip
    code2wav = {
        "model_type": "qwen3_omni_moe_code2wav", "codebook_size": 2048, "hidden_size": 32, "intermediate_size": 64,
        "num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 2, "num_quantizers": 16,
        "rms_norm_eps": 1e-5, "sliding_window": 72, "decoder_dim": 64, "upsample_rates": [8, 5, 4, 3],
        "upsampling_ratios": [2, 2], "layer_scale_initial_scale": 0.01, "max_position_embeddings": 8000,
        "rope_parameters": rope | {"rope_theta": 10000.0}, "hidden_act": "silu", "attention_bias": False,
    }  # fmt: skip
    return {
        "architectures": ["Qwen3OmniMoeForConditionalGeneration"], "model_type": "qwen3_omni_moe", "dtype": "float32",
        "enable_audio_output": True, "im_start_token_id": IDS["<|im_start|>"], "im_end_token_id": IDS["<|im_end|>"],
        "tts_pad_token_id": IDS["<tts_pad>"], "tts_bos_token_id": IDS["<tts_text_bos>"],
        "tts_eos_token_id": IDS["<tts_text_eod>"], "system_token_id": SYSTEM, "user_token_id": USER,
        "assistant_token_id": ASSISTANT, "thinker_config": thinker, "talker_config": talker,
        "code2wav_config": code2wav,
    }  # fmt: skip


def full_config() -> dict[str, Any]:
    """The shapes of Qwen3-Omni-30B-A3B; the ids stay those of the small tokenizer."""
    small = config()
    thinker, talker, code2wav = (small[f"{part}_config"] for part in ("thinker", "talker", "code2wav"))
    turned = {"rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": True, "interleaved": True}
    thinker["dtype"] = "bfloat16"
    thinker["audio_config"] |= {
        "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "d_model": 1280,
        "output_dim": 2048, "downsample_hidden_size": 480,
    }  # fmt: skip
    thinker["vision_config"] |= {
        "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "out_hidden_size": 2048,
        "num_position_embeddings": 2304, "image_size": 768, "deepstack_visual_indexes": [8, 16, 24],
    }  # fmt: skip
    thinker["text_config"] |= {
        "hidden_size": 2048, "intermediate_size": 768, "moe_intermediate_size": 768, "num_hidden_layers": 48,
        "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128,
        "num_experts_per_tok": 8, "vocab_size": 152064, "rope_scaling": turned, "max_position_embeddings": 65536,
    }  # fmt: skip
    talker |= {"thinker_hidden_size": 2048, "accept_hidden_layer": 24}
    talker["text_config"] |= {
        "hidden_size": 1024, "intermediate_size": 2048, "moe_intermediate_size": 384, "num_hidden_layers": 20,
        "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 128, "num_experts": 128,
        "num_experts_per_tok": 6, "shared_expert_intermediate_size": 768, "rope_scaling": turned,
    }  # fmt: skip
    talker["code_predictor_config"] |= {
        "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 5, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 128,
    }  # fmt: skip
    code2wav |= {
        "hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16, "num_key_value_heads": 16,
        "num_hidden_layers": 8, "decoder_dim": 1536,
    }  # fmt: skip
    return small | {"dtype": "bfloat16"}


def _drawn(seed: int, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Outputs keep about the variance of their inputs, and the end of speech is likely enough to be reached."""
    drawn = values(seed, (name, shape, *_spread(name, shape)))
    if name == "talker.codec_head.weight":
        drawn[END_OF_SPEECH] *= np.float32(1.6)
    if name == "thinker.lm_head.weight":
        drawn[list(IDS.values())] *= np.float32(0.5)
    return drawn


def _spread(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """The standard deviation and the mean of a weight."""
    if name.endswith((".bias", ".beta", ".alpha")):
        return 0.1, 0.0
    if name.endswith(("gamma", "layer_scale.scale")):
        return 0.1, 0.5
    if len(shape) == 1:
        return 0.1, 1.5 if "_norm." in name and "self_attn." in name else 1.0
    if "embed" in name:
        return (1.0 if "embed_tokens" in name else 0.4), 0.0
    if "decoder." in name or "upsample." in name:  # code2wav's convolutions
        return (1.0 if shape[0] == 1 else 0.7) / float(np.prod(shape[1:])) ** 0.5, 0.0
    return (2.0 if "head" in name else 1.3) / shape[-1] ** 0.5, 0.0
