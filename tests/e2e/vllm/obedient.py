"""Writes checkpoints whose answers are known beforehand: weights that were computed, not trained, for stock vLLM.

The recogniser is the seeded one of `tests.contract.vllm`, which knows only a few words: what it writes depends on the
sound, and says nothing. What AURA writes depends on the newest mark in what was written to it, on whether something was
spoken since, and on how bright the newest picture is. It is a table of which token follows which, and two steps of
attention:

- layer 0 finds the newest mark, the newest token of a picture, and the newest mark or spoken word. They match by
  content, in a pair of RoPE that hardly turns; a second pair, whose angle grows with distance, prefers what is new.
- layer 1 looks five tokens back, at what stands before the end of the user's turn: where that is a picture, nobody has
  asked anything, and nothing is said.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.vllm.seeded import Shape
from tests.contract.vllm.tiny import write_checkpoint
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_aura import IDS, config, tensors, write_aura
from tests.pipeline.models.qwen3_tts import seeded_codec

Weights = dict[str, NDArray[np.float32]]

# What can be written to AURA, and what it does from then on. Two of them say when it tells at length: until the next
# spoken word, after which it is silent, or not before that.
PLAIN, SILENT, UNTIL_SPOKEN_TO, WHEN_SPOKEN_TO, ONE, OTHER = MARKS = ("=", "~", "^", "%", "@", "#")
UNSPOKEN = {"^ unspoken": UNTIL_SPOKEN_TO, "% unspoken": WHEN_SPOKEN_TO}
# What it answers.
YES, SEES_BRIGHT, SEES_DARK, SAYS_ONE, SAYS_OTHER = " you is.", " and.", " is.", "user.", "assistant."
HEARS = (" the", " of", "ing")  # the words of the recogniser, which AURA does not write

START, STOP, END = "\n", ".", "<|im_end|>"
FOLLOWS = {START: " you", " you": " is", STOP: END} | dict.fromkeys((" is", " and", "user", "assistant"), STOP)
LIKELY = {  # beside what follows: how likely a token is at the start, after a full stop, and for what is known
    " you": {STOP: 3.0, "^ unspoken": 2.0, WHEN_SPOKEN_TO: 2.0, "% unspoken": -2.0},
    " and": {START: 3.0, "bright": 2.0},
    " is": {START: 3.0, "dark": 2.0},
    "user": {START: 3.0, ONE: 2.5},
    "assistant": {START: 3.0, OTHER: 2.5},
    "<|silent|>": {START: 3.0, SILENT: 3.5, UNTIL_SPOKEN_TO: 3.5, "^ unspoken": -4.0, "unasked": 6.0},
}
NEXT = 4.0

# The residual stream: a constant, the token itself, and what attention has found.
STATES = tuple(FOLLOWS)
TOKEN = {token: 1 + at for at, token in enumerate((*STATES, *MARKS, "<|vision_end|>"))}
CONSTANT, MARK, PICTURE, NEWS = 0, 20, 21, 22
DARK, BRIGHT = 20, 235  # pixels that are certain to be either
SHOWN = {"bright": 24, "dark": 25}  # of a token of a picture
FOUND = {name: 32 + at for at, name in enumerate((*MARKS, *SHOWN, *UNSPOKEN, "unasked"))}

HEAD = 32  # numbers of a head; RoPE turns each of the first half with one of the second
STILL, SLOW, FAST, FASTER = 15, 9, 3, 0  # pairs of RoPE: radians a token 5e-7, 1.7e-4, 0.055, 1; all three of time
FREQUENCY = {pair: 5e6 ** (-pair / (HEAD // 2)) for pair in (FAST, FASTER)}
BACK = 5  # from the last token of a prompt to what stands before the end of the user's turn
MATCHES, PREFERS, SHARP = 6_000.0, 3_000.0, 2_000.0  # logits of attention
LAYERS = 8
KNOWN_WORDS = 3.0  # how much likelier the recogniser's words become


def write_models(folder: Path) -> None:
    """All that the deployment of this folder names."""
    _write_recogniser(folder / "asr")
    _write_aura(folder / "aura")
    seeded_codec.write(write_checkpoint(folder / "voice", "custom_voice"))


def _write_recogniser(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    write_recogniser(folder)
    drawn = load_file(folder / "model.safetensors")
    table = drawn["thinker.model.embed_tokens.weight"]
    known = list(_ids(folder, HEARS).values())
    words = KNOWN_WORDS * table[known]
    table[: len(_vocabulary(folder))] *= np.float32(0.1)
    table[known] = words
    table[list(_ids(folder, MARKS).values())] = 0.0  # a mark in what was heard would be obeyed
    table[len(_vocabulary(folder)) :] *= np.float32(0.25)  # the end is not found before the limit
    save_file(drawn, folder / "model.safetensors")


def _write_aura(folder: Path) -> None:
    from safetensors.numpy import save_file

    write_aura(folder, weights=False)
    (folder / "config.json").write_text(json.dumps(_config()))
    ids = _ids(folder, (*STATES, END, *LIKELY, *MARKS, *HEARS, "<|vision_end|>"))
    save_file(dict(_weights(ids)), folder / "model.safetensors")


def _config() -> dict[str, Any]:
    """With keys of its own for each head, and more layers, which take time and add nothing."""
    tiny = config()
    return tiny | {"text_config": tiny["text_config"] | {"num_key_value_heads": 4, "num_hidden_layers": LAYERS}}


def _weights(ids: Mapping[str, int]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    made = _table(ids) | _finds_marks_and_pictures(0) | _looks_back(1) | _sees()
    for shape in tensors(_config()):
        name, size, _, mean = shape
        yield name, made.pop(name, _silent(shape, size, mean)).astype(np.float32)
    assert not made, f"no such weights: {list(made)}"


def _silent(shape: Shape, size: tuple[int, ...], mean: float) -> NDArray[np.float32]:
    """Norms let all pass, and all else adds nothing."""
    is_norm = mean > 0 and len(size) == 1
    return np.full(size, float(is_norm), np.float32)


def _table(ids: Mapping[str, int]) -> Weights:
    text = _config()["text_config"]
    width = text["hidden_size"]
    tokens, head = np.zeros((text["vocab_size"], width)), np.zeros((text["vocab_size"], width))
    tokens[:, CONSTANT] = 1
    for token, place in TOKEN.items():
        tokens[ids[token], place] = 1
    for mark in MARKS:
        tokens[ids[mark], [MARK, NEWS]] = 1
    for word in HEARS:
        tokens[ids[word], NEWS] = 1
    for token, after in FOLLOWS.items():
        head[ids[after], TOKEN[token]] = NEXT
    for token, reasons in LIKELY.items():
        for reason, weight in reasons.items():
            head[ids[token], TOKEN[reason] if reason in STATES else FOUND[reason]] += weight
    return {"lm_head.weight": head, "model.language_model.embed_tokens.weight": tokens}


def _finds_marks_and_pictures(layer: int) -> Weights:
    asks, keys, hands, adds = _attention()
    for head, kind in enumerate((MARK, PICTURE, NEWS)):
        asks[HEAD * head + STILL, CONSTANT] = asks[HEAD * head + HEAD // 2 + SLOW, CONSTANT] = 1
        keys[HEAD * head + STILL, kind] = keys[HEAD * head + SLOW, kind] = 1
        keys[HEAD * head + STILL - 1, CONSTANT] = 0.01  # of all other tokens, so that none of them has the key 0 / 0
    of_mark, of_picture = np.sqrt(4) / 8, np.sqrt(3) / 8  # the norm before makes this much of each of its ones
    found = [(0, name, TOKEN[name], of_mark) for name in MARKS]
    found += [(1, name, place, of_picture) for name, place in SHOWN.items()]
    found += [(2, name, TOKEN[mark], of_mark) for name, mark in UNSPOKEN.items()]
    for at, (head, name, place, scale) in enumerate(found):
        hands[HEAD * head + at, place] = 1
        adds[FOUND[name], HEAD * head + at] = scale
    half = np.sqrt(HEAD / 2)  # what the norms of queries and keys make of each of two ones
    asked, known = np.zeros(HEAD), np.zeros(HEAD)
    asked[STILL] = known[STILL] = np.sqrt(MATCHES * np.sqrt(HEAD)) / half
    asked[HEAD // 2 + SLOW] = known[SLOW] = np.sqrt(PREFERS * np.sqrt(HEAD)) / half
    return _named(layer, asks, keys, hands, adds, asked, known)


def _looks_back(layer: int) -> Weights:
    """Its keys are the same for all; the angle between a query and a key is 0 at one distance."""
    asks, keys, hands, adds = _attention()
    for pair in (FAST, FASTER):
        keys[pair, CONSTANT] = 1
        asks[pair, CONSTANT] = np.cos(-BACK * FREQUENCY[pair])
        asks[HEAD // 2 + pair, CONSTANT] = np.sin(-BACK * FREQUENCY[pair])
    hands[0, TOKEN["<|vision_end|>"]] = 1
    adds[FOUND["unasked"], 0] = 1 / (8 / np.sqrt(2))
    scale = np.full(HEAD, np.sqrt(SHARP * np.sqrt(HEAD)) / np.sqrt(HEAD / 2))
    return _named(layer, asks, keys, hands, adds, scale, scale)


def _sees() -> Weights:
    """A patch is its mean brightness, of which the merger's norm leaves the sign."""
    vision = config()["vision_config"]
    width, patch = vision["hidden_size"], vision["patch_size"]
    merged = width * vision["spatial_merge_size"] ** 2
    mean = np.zeros((width, 3, vision["temporal_patch_size"], patch, patch))
    mean[0] = 1 / mean[0].size
    bright = np.sqrt(width - 1)  # what the norm makes of a patch that is bright
    first, second, always = np.zeros((merged, merged)), np.zeros((vision["out_hidden_size"], merged)), np.zeros(width)
    for at, (name, sign) in enumerate((("bright", 1), ("dark", -1))):
        first[at, ::width] = sign * width / merged / bright * 4  # GELU leaves 4 as it is, and nothing of -4
        second[SHOWN[name], at] = 1 / 4
    always[[CONSTANT, PICTURE]] = 1
    visual = "model.visual."
    return {
        f"{visual}patch_embed.proj.weight": mean,
        f"{visual}merger.norm.weight": np.ones(width),
        f"{visual}merger.linear_fc1.weight": first,
        f"{visual}merger.linear_fc2.weight": second,
        f"{visual}merger.linear_fc2.bias": always,
    }


def _attention() -> tuple[NDArray[np.float64], ...]:
    """Of queries, keys, values and the output; each head has its own."""
    text = _config()["text_config"]
    width, inner = text["hidden_size"], HEAD * text["num_attention_heads"]
    return np.zeros((inner, width)), np.zeros((inner, width)), np.zeros((inner, width)), np.zeros((width, inner))


def _named(layer: int, *weights: NDArray[np.float64]) -> Weights:
    names = ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")
    at = f"model.language_model.layers.{layer}.self_attn."
    return {f"{at}{name}.weight": weight.astype(np.float32) for name, weight in zip(names, weights, strict=True)}


def _vocabulary(folder: Path) -> dict[str, int]:
    known: dict[str, int] = json.loads((folder / "vocab.json").read_text())
    return known


def _ids(folder: Path, tokens: tuple[str, ...]) -> dict[str, int]:
    known = _vocabulary(folder)
    written = {token: token.replace(" ", "Ġ").replace("\n", "Ċ") for token in tokens}
    return {token: IDS[token] if token in IDS else known[text] for token, text in written.items()}
