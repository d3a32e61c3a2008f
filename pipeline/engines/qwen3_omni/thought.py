"""What the thinker hands to the talker: plain values, which may wait as long as they like."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.models.qwen3_omni.prompt import HeardPrompt


@dataclass(frozen=True, slots=True, eq=False)
class HeardStates:
    """What the talker reads of a prompt.

    Attributes:
        states: The thinker's hidden states of `prompt.spans`, one after the other: [positions, bytes of a row].
    """

    prompt: HeardPrompt
    states: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class ThoughtChunk:
    """A piece of an answer, as it is written.

    Attributes:
        token_ids: The new tokens, the end of the answer with them.
        spoken: Those that are spoken: not the last one of all, which the thinker has never read.
        ends: The answer ends with it.
        heard: In the first piece of an answer, what came before it.
        text: What is written with it.
        voice: Who speaks the answer; of its first piece. Empty: whoever speaks by default.
    """

    token_ids: tuple[int, ...]
    spoken: tuple[int, ...]
    ends: bool
    heard: HeardStates | None = None
    text: str = ""
    voice: str = ""
