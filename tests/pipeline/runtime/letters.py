"""A tokenizer for tests: every character is a token, and every name of an added token is one."""

import re

from pipeline.models.shared.control_tokens import ControlTokens

NAMES = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<|audio_pad|>",
    "<asr_text>",
)
SPECIAL = NAMES[:-1]
FIRST_NAME = 0x110000
_PIECES = re.compile("|".join(map(re.escape, NAMES)) + "|.", re.DOTALL)


class Letters:
    def encode(self, text: str) -> list[int]:
        return [FIRST_NAME + NAMES.index(each) if len(each) > 1 else ord(each) for each in _PIECES.findall(text)]

    def escape(self, text: str) -> str:
        return ControlTokens(NAMES).escape(text)

    def decode(self, ids: list[int], *, special: bool = True) -> str:
        return "".join(_text(id, special) for id in ids)


def id_of(name: str) -> int:
    return FIRST_NAME + NAMES.index(name)


def _text(id: int, special: bool) -> str:
    if id < FIRST_NAME:
        return chr(id)
    name = NAMES[id - FIRST_NAME]
    return name if special or name not in SPECIAL else ""
