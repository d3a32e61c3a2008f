"""Asks the thinker of Qwen3-Omni on the real vLLM, in this process, step by step, and takes its hidden states out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.models.hidden_states.extra_args import Spans, asking
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.hidden_states.row_reader import RowReader, RowReaders
from pipeline.models.registry import THINKER
from pipeline.models.shared.engine_io import MediaItem, PromptChunk, RequestSampling
from tests.contract.vllm import tiny_omni
from tests.contract.vllm.in_process import begun, ended
from tests.contract.vllm.tiny_omni import ASSISTANT, IDS, NEWLINE, SYSTEM, USER

LAYOUT = RowLayout(layers=2, width=64, dtype="float32", pages=64, page_rows=8)
STEP_TOKENS = 32  # of a step: what is longer is prefilled in chunks
TOKENS = 12
GREEDY = RequestSampling(0.0, 0, 1.0, 1.0, (IDS["<|im_end|>"],))


@dataclass
class Thought:
    """One prompt to be answered.

    Attributes:
        spans, decode: Which rows are wanted, as `RowReaders.open` has it.
        most: Tokens of its answer, at most.
        aborted: The number of tokens after which it is dropped; None: never.
        tokens: What was written.
        cached: Tokens of its prompt that were found in the cache.
    """

    prompt: list[int]
    media: Sequence[MediaItem] = ()
    spans: Spans | None = None
    decode: bool = True
    most: int = TOKENS
    begins: int = 0
    aborted: int | None = None
    tokens: list[int] = field(default_factory=list)
    cached: int = 0
    over: bool = False
    reader: RowReader | None = None

    def rows(self) -> NDArray[np.float32]:
        """Those of the prompt and of all tokens but the last one, [positions, layers, width]."""
        assert self.reader is not None
        return self.reader.floats(0, len(self.prompt) + len(self.tokens) - 1)


def said(text: str, media: Sequence[int] = ()) -> list[int]:
    """A prompt of two messages; `media` stands in front of the text."""
    begin, end = IDS["<|im_start|>"], IDS["<|im_end|>"]
    told = [begin, SYSTEM, NEWLINE, *b"be nice", end, NEWLINE, begin, USER, NEWLINE, *media, *text.encode(), end]
    return [*told, NEWLINE, begin, ASSISTANT, NEWLINE]


class ThinkerEngine:
    """A vLLM engine of one checkpoint, and the pool that its rows leave by."""

    def __init__(self, folder: Path, layout: RowLayout = LAYOUT, **engine_args: Any) -> None:
        settings: dict[str, Any] = {
            "hf_overrides": {"architectures": [THINKER]}, "dtype": "float32", "enforce_eager": True,
            "enable_prefix_caching": True, "distributed_executor_backend": "uni", "block_size": 32,
            "kv_cache_memory_bytes": 64 << 20, "max_model_len": 512, "max_num_seqs": 8,
            "max_num_batched_tokens": STEP_TOKENS, "generation_config": "vllm", "skip_mm_profiling": True,
            "limit_mm_per_prompt": {"image": 4, "video": 0, "audio": 4},
        }  # fmt: skip
        self.engine = begun(folder, {**settings, **engine_args})
        self.readers = RowReaders(layout)
        self._number = 0

    def think(self, *thoughts: Thought) -> None:
        """All of them, until each is answered or dropped."""
        names: dict[str, Thought] = {}
        step = 0
        while any(not each.over for each in thoughts):
            for each in thoughts:
                if each.begins == step:
                    names[self._ask(each)] = each
            for output in self.engine.step():
                self._hear(output, names[output.request_id])
            step += 1
            assert step < 2_000
        self.engine.step()

    def _ask(self, thought: Thought) -> str:
        from pipeline.engines.vllm.conversion import sampling_params
        from pipeline.engines.vllm.prompt import ready_prompt

        self._number += 1
        thought.reader = self.readers.open(thought.spans, decode=thought.decode)
        told = asking(thought.reader.request)
        chunk = PromptChunk(
            tuple(thought.prompt), thought.most, extra_args=told, media=thought.media, cache_salt="test"
        )
        cache = self.engine.renderer.mm_processor_cache
        self.engine.add_request(str(self._number), ready_prompt(chunk, cache), sampling_params(GREEDY, chunk))
        return str(self._number)

    def _hear(self, output: Any, thought: Thought) -> None:
        thought.tokens += output.outputs[0].token_ids
        thought.cached = output.num_cached_tokens or 0
        thought.over = output.finished
        if thought.aborted is not None and len(thought.tokens) >= thought.aborted and not thought.over:
            self.engine.abort_request([output.request_id])
            thought.over = True

    def close(self) -> None:
        """Frees what the next engine of this process needs."""
        ended(self.engine)
        self.readers.close()


def official_thought(model: Any, prompt: list[int], **media: Any) -> tuple[list[int], NDArray[np.float32]]:
    """What the official model writes, and its rows: what goes into the first layer, and what the talker hears."""
    import torch

    end = IDS["<|im_end|>"]
    told = model.thinker.generate(
        input_ids=torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
        max_new_tokens=TOKENS, eos_token_id=end, output_hidden_states=True, return_dict_in_generate=True, **media,
    )  # fmt: skip
    layers = [torch.cat([step[layer][0] for step in told.hidden_states]) for layer in (0, tiny_omni.LAYER)]
    return told.sequences[0, len(prompt) :].tolist(), torch.stack(layers, 1).numpy()
