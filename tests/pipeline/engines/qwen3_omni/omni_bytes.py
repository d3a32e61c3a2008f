"""A tokenizer of Qwen3-Omni's whose tokens are bytes, and marks; it needs no transformers."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_omni.text import OmniText
from tests.contract.vllm import tiny_omni
from tests.contract.vllm.tiny_omni import ASSISTANT, IDS, USER

WORDS = IDS | {"assistant": ASSISTANT, "user": USER}
_PIECES = re.compile("|".join(map(re.escape, WORDS)))


class OmniBytes:
    def get_vocab(self) -> dict[str, int]:
        return dict(IDS)

    def get_added_vocab(self) -> dict[str, int]:
        return {**IDS, "<tool_call>": 400}

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        ids, at = list[int](), 0
        for found in _PIECES.finditer(text):
            ids += [*text[at : found.start()].encode(), WORDS[found[0]]]
            at = found.end()
        return {"input_ids": [*ids, *text[at:].encode()]}

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        return bytes(each for each in ids if each < 256).decode(errors="replace")


def read_config(folder: Path) -> OmniConfig:
    (folder / "config.json").write_text(json.dumps(tiny_omni.config()))
    return read_omni(folder)


def omni_text(config: OmniConfig) -> OmniText:
    return OmniText(OmniBytes(), config, "test")
