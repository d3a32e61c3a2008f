"""Writes tiny Qwen3-TTS checkpoints with seeded weights: what the published ones look like, but small enough for tests.

Every tensor is seeded by its own name. Outputs keep about the variance of their inputs, queries and keys are
sharpened so that attention is far from uniform, and the end of speech is likely enough to be reached now and then.
"""

import json
import math
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.seeded import Shape, decoder, values

Kind = Literal["custom_voice", "voice_design", "small"]

ADDED = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>")
FIRST_ADDED = 282  # the bytes, and the tokens of WORDS
IM_START, IM_END, PAD, BOS, EOS = range(FIRST_ADDED + 1, FIRST_ADDED + len(ADDED))
WORDS = ("assistant", "user", " the", " and", "ing", " of", " you", " is")  # each a token of its own
LANGUAGES = {"chinese": 2055, "english": 2050, "german": 2053, "sichuan_dialect": 2062}
SPEAKERS = {"vivian": 3065, "eric": 2875}
END_OF_SPEECH = 2150


def write_checkpoint(folder: Path, kind: Kind, seed: int = 0) -> Path:
    """`small` is a custom voice whose Talker is as wide as its predictor, as in the published 0.6B."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    config = voice(kind)
    _write_json(folder / "config.json", config)
    write_tokenizer(folder)
    drawn = {weight[0]: _values(seed, weight) for weight in tensors(config)}
    save_file(drawn, folder / "model.safetensors")
    return folder


def voice(kind: Kind) -> dict[str, Any]:
    voices = {} if kind == "voice_design" else SPEAKERS
    predictor = _decoder(32, 96, 2) | {
        "model_type": "qwen3_tts_talker_code_predictor", "vocab_size": 2048, "num_code_groups": 16, "rope_scaling": None
    }  # fmt: skip
    talker = _decoder(32 if kind == "small" else 64, 128, 3) | {
        "model_type": "qwen3_tts_talker", "vocab_size": 3072, "num_code_groups": 16,
        "text_vocab_size": FIRST_ADDED + len(ADDED),
        "text_hidden_size": 8, "position_id_per_seconds": 13, "codec_pad_id": 2148, "codec_bos_id": 2149,
        "codec_eos_token_id": END_OF_SPEECH, "codec_think_id": 2154, "codec_nothink_id": 2155,
        "codec_think_bos_id": 2156, "codec_think_eos_id": 2157, "codec_language_id": LANGUAGES, "spk_id": voices,
        "spk_is_dialect": {name: "sichuan_dialect" if name == "eric" else False for name in voices},
        "rope_scaling": {"rope_type": "default", "type": "default", "interleaved": True, "mrope_section": [6, 5, 5]},
        "code_predictor_config": predictor,
    }  # fmt: skip
    return {
        "architectures": ["Qwen3TTSForConditionalGeneration"], "model_type": "qwen3_tts", "dtype": "float32",
        "tts_model_type": "voice_design" if kind == "voice_design" else "custom_voice",
        "tts_model_size": "0b6" if kind == "small" else "1b7", "tokenizer_type": "qwen3_tts_tokenizer_12hz",
        "im_start_token_id": IM_START, "im_end_token_id": IM_END, "tts_pad_token_id": PAD, "tts_bos_token_id": BOS,
        "tts_eos_token_id": EOS, "transformers_version": "4.57.1", "talker_config": talker,
    }  # fmt: skip


def tensors(config: dict[str, Any]) -> Iterator[Shape]:
    """Name, shape, standard deviation and mean of each weight."""
    talker = config["talker_config"]
    predictor = talker["code_predictor_config"]
    width, inner, text, ids = talker["hidden_size"], predictor["hidden_size"], talker["text_hidden_size"], 2048
    yield "talker.codec_head.weight", (talker["vocab_size"], width), 2 / math.sqrt(width), 0.0
    yield "talker.model.codec_embedding.weight", (talker["vocab_size"], width), 0.4, 0.0
    yield "talker.model.text_embedding.weight", (talker["text_vocab_size"], text), 1.0, 0.0
    yield from _linear("talker.text_projection.linear_fc1", text, text, bias=True)
    yield from _linear("talker.text_projection.linear_fc2", text, width, bias=True)
    yield from decoder("talker.model.", talker)
    yield from decoder("talker.code_predictor.model.", predictor)
    for book in range(talker["num_code_groups"] - 1):
        yield f"talker.code_predictor.model.codec_embedding.{book}.weight", (ids, width), 0.4, 0.0
        yield from _linear(f"talker.code_predictor.lm_head.{book}", inner, ids, gain=2.0)
    if inner != width:
        yield from _linear("talker.code_predictor.small_to_mtp_projection", width, inner, bias=True)


def _linear(name: str, source: int, out: int, *, gain: float = 1.0, bias: bool = False) -> Iterator[Shape]:
    yield f"{name}.weight", (out, source), gain / math.sqrt(source), 0.0
    if bias:
        yield f"{name}.bias", (out,), 0.1, 0.0


def _values(seed: int, weight: Shape) -> NDArray[np.float32]:
    drawn = values(seed, weight)
    if weight[0] == "talker.codec_head.weight":
        drawn[END_OF_SPEECH] *= np.float32(1.6)
    return drawn


def _decoder(width: int, inner: int, layers: int) -> dict[str, Any]:
    return {
        "hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 32, "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 1e6,
        "max_position_embeddings": 32768, "attention_bias": False, "tie_word_embeddings": False,
    }  # fmt: skip


def write_tokenizer(folder: Path) -> None:
    """Byte-level BPE as in all Qwen models, of the bytes and a few words."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letter = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    vocab = {letter[byte]: byte for byte in range(256)}
    merges: list[str] = []
    free = count(256)
    for word in WORDS:
        letters = [letter[byte] for byte in word.encode()]
        for end in range(1, len(letters)):
            head, tail = "".join(letters[:end]), letters[end]
            if head + tail not in vocab:
                vocab[head + tail] = next(free)
                merges.append(f"{head} {tail}")
    assert len(vocab) == FIRST_ADDED
    _write_json(folder / "vocab.json", vocab)
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n", encoding="utf-8")
    flags = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    added = {str(FIRST_ADDED + i): {"content": text, **flags} for i, text in enumerate(ADDED)}
    settings = {"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "added_tokens_decoder": added}
    _write_json(folder / "tokenizer_config.json", settings | {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"})


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
