"""AURA's text: what a prompt says and shows → token ids, and its answers → text."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.models.shared.detokenizer import Detokenizer
from pipeline.models.shared.tokenizer import read_qwen_tokenizer

STOPS = ("<|im_end|>", "<|silent|>", "<|endoftext|>")
NAMED = (
    *("<|silent|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|video_pad|>", "<|image_pad|>"),
    *("<|vision_start|>", "<|vision_end|>"),
)
CALLS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")  # around calls, where it has them
FPS = 2
SEEN_AT_S = 0.5 / FPS  # in each second: between its two frames, which are read as one


@dataclass(frozen=True, slots=True)
class MediaPlace:
    """What stands for something seen.

    Attributes:
        first: Index of the first id that is filled with pixels.
    """

    token_ids: tuple[int, ...]
    first: int = 0


class AuraText:
    """The tokenizer of a checkpoint; every id is looked up by its name in it.

    Attributes:
        silent: First in an answer, it means that there is none.
        stops: End an answer.

    Raises:
        ConfigError: A token is missing.
    """

    def __init__(self, tokenizer: Any, source: str) -> None:
        vocabulary = tokenizer.get_vocab()
        if missing := [name for name in NAMED if name not in vocabulary]:
            raise ConfigError(source, [f"the tokenizer has no {name}" for name in missing])
        ids = [int(vocabulary[name]) for name in NAMED]
        self.silent, _, self.im_end, _, self._video, self._image, self._begin, self._end = ids
        self.stops = tuple(int(vocabulary[name]) for name in STOPS)
        self._tokenizer = tokenizer
        self._others = ControlTokens(tokenizer.get_added_vocab().keys() - {*NAMED, *CALLS})
        self._cached = lru_cache(4_096)(self._tokenized)
        self._placed = lru_cache(1_024)(self._place)

    @staticmethod
    def read(folder: Path) -> "AuraText":
        """Reads the tokenizer of a checkpoint's folder.

        Raises:
            ConfigError: The tokenizer is missing or damaged, or another model's.
        """
        return AuraText(read_qwen_tokenizer(folder), str(folder))

    def ids(self, text: str) -> tuple[int, ...]:
        """Returns the ids of a text. Names of the tokens that make up prompts stand for them; others do not."""
        return self._cached(text)

    def place(self, clip: VideoChunk) -> MediaPlace:
        """A second brings its time, and marks of where it begins and ends; those of a picture are text."""
        return self._placed(clip.tokens, clip.moves)

    def decoder(self) -> Detokenizer:
        return Detokenizer(self._tokenizer)

    def _place(self, tokens: int, moves: bool) -> MediaPlace:
        if not moves:
            return MediaPlace((self._image,) * tokens)
        before = (*self._tokenized(f"<{SEEN_AT_S:.1f} seconds>"), self._begin)
        return MediaPlace((*before, *(self._video,) * tokens, self._end), len(before))

    def _tokenized(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(self._others.escape(text), add_special_tokens=False)["input_ids"])
