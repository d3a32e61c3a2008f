"""Hears sounds with the real vLLM, in this process, step by step: which pass begins when, and which is dropped."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.engines.qwen3_asr.decode_passes import DecodePass, DecodePasses, Doubt
from pipeline.models.qwen3_asr.config import read_recogniser
from pipeline.models.qwen3_asr.media import engine_prompt
from pipeline.models.qwen3_asr.prompt import AsrPromptWriter
from pipeline.models.qwen3_asr.tokenizer import read_tokenizer
from pipeline.models.registry import ASR
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling
from pipeline.types.chunks import AsrInput
from tests.contract.vllm.hearing_cases import MOST_TOKENS, Heard
from tests.contract.vllm.in_process import begun, ended


@dataclass
class Asked:
    """A pass that vLLM is given.

    Attributes:
        begins: The step of the engine before which it is asked for.
        aborted: The number of tokens after which it is dropped; None: never.
        sampling: None: the recogniser's.
        cached: The tokens of its prompt that had been read before.
    """

    chunk: DecodePass
    begins: int = 0
    aborted: int | None = None
    sampling: RequestSampling | None = None
    tokens: tuple[int, ...] = ()
    cached: int | None = None
    over: bool = False


class Recogniser:
    """A vLLM engine of one checkpoint."""

    def __init__(self, folder: Path, **engine_args: Any) -> None:
        self.config = read_recogniser(folder)
        self.tokenizer, ids = read_tokenizer(folder)
        self.audio_id = ids.audio
        self.sampling = RequestSampling(0.0, 0, 1.0, 1.0, ids.ends)
        settings: Mapping[str, Any] = {
            "dtype": "float32", "enforce_eager": True, "distributed_executor_backend": "uni", "block_size": 32,
            "kv_cache_memory_bytes": 64 << 20, "max_model_len": 1024, "max_num_seqs": 8,
            "max_num_batched_tokens": 1024, "generation_config": "vllm", "enable_prefix_caching": True,
            "limit_mm_per_prompt": {"audio": 8}, "enable_mm_embeds": True, "hf_overrides": {"architectures": [ASR]},
        }  # fmt: skip
        self.engine = begun(folder, {**settings, **engine_args})
        self._names = 0

    def writer(self, context: str = "") -> AsrPromptWriter:
        return AsrPromptWriter(self.tokenizer, self.audio_id, context)

    def passes(self, context: str = "", doubt: Doubt | None = None) -> DecodePasses:
        return DecodePasses(self.writer(context), self.config.tower.n_window_infer, doubt or Doubt())

    def pass_of(self, case: Heard) -> DecodePass:
        return self.passes().ask(AsrInput(case.pcm, None, True, case.context), case.language)

    def hear(self, *request: Asked) -> None:
        """All of them, until each has ended."""
        going: dict[str, Asked] = {}
        step = 0
        while not all(each.over for each in request):
            for each in request:
                if each.begins == step:
                    going[self._send(each.chunk, each.sampling or self.sampling)] = each
            for output in self.engine.step():
                each = going[output.request_id]
                each.tokens += tuple(output.outputs[0].token_ids)
                each.cached = output.num_cached_tokens
                if each.aborted is not None and len(each.tokens) >= each.aborted and not each.over:
                    self.engine.abort_request([output.request_id])
                    each.over = True
                each.over = each.over or output.finished
            step += 1
            assert step < 10_000
        self.engine.step()

    def close(self) -> None:
        """Frees what the next engine of this process needs."""
        ended(self.engine)

    def _send(self, request: DecodePass, sampling: RequestSampling) -> str:
        from pipeline.engines.vllm.conversion import sampling_params
        from pipeline.engines.vllm.prompt import ready_prompt

        self._names += 1
        name = f"pass-{self._names}"
        ids, media = engine_prompt(request.prompt, request.windows)
        chunk = PromptChunk(ids, MOST_TOKENS, media=media, cache_salt="test")
        self.engine.add_request(name, ready_prompt(chunk), sampling_params(sampling, chunk))
        return name
