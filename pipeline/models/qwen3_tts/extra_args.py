"""What a client tells the Talker of a request: plain lists, in `SamplingParams.extra_args`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.models.qwen3_tts.prompt import TalkerPrompt

KEY = "qwen3_tts"
CODES = 16  # ids that come back as the logprobs of each sampled one: the frame, codebook by codebook

# Codebook `i` comes back as the code plus `(i + 1) * APART`: vLLM merges outputs that wait through dictionaries,
# in which equal ids would become one.
APART = 4_096


@dataclass(frozen=True, slots=True)
class Choice:
    """How the predictor draws codebooks 1 to 15. Temperature 0 takes the likeliest; top_k 0 and top_p 1 leave all."""

    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0


@dataclass(frozen=True, slots=True)
class Opening:
    """A new request: the ids of its prompt, the text that is known already, and how to draw."""

    text: tuple[int, ...]
    codec: tuple[int, ...]
    choice: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sequel:
    """More text of a request."""

    text: tuple[int, ...]


def opening(prompt: TalkerPrompt, choice: Choice) -> dict[str, Any]:
    text = [*prompt.text, *prompt.trailing]
    drawn = [choice.temperature, float(choice.top_k), choice.top_p]
    return {KEY: {"text": text, "codec": list(prompt.codec), "choice": drawn}}


def sequel(text: tuple[int, ...]) -> dict[str, Any]:
    return {KEY: {"text": list(text)}}


def unpack(extra_args: Mapping[str, Any] | None) -> Opening | Sequel | None:
    """None: the request does not come from a client of ours."""
    raw = (extra_args or {}).get(KEY)
    if raw is None:
        return None
    text = tuple(raw["text"])
    return Opening(text, tuple(raw["codec"]), tuple(raw["choice"])) if "codec" in raw else Sequel(text)
