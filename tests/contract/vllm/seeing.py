"""Answers prompts of AURA with the real vLLM, in this process, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.engines.aura.engine import as_chunk
from pipeline.engines.aura.setup import settings
from pipeline.models.aura.text import AuraText
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling
from pipeline.types.chunks import MultimodalPrompt
from tests.contract.vllm.in_process import begun, ended
from tests.contract.vllm.seeing_cases import TOKENS

GREEDY = RequestSampling(0.0, 0, 1.0, 1.0, ())


@dataclass
class Look:
    """One prompt to be answered.

    Attributes:
        priority: As vLLM's: of lower numbers first.
        begins: The step of the engine before which it is asked for.
        aborted: The number of tokens after which it is dropped; None: never.
        cached: Tokens of its prompt that were not read again.
    """

    scene: MultimodalPrompt
    most: int = TOKENS
    priority: int = 0
    begins: int = 0
    aborted: int | None = None
    tokens: list[int] = field(default_factory=list)
    prompt: list[int] = field(default_factory=list)
    cached: int = 0
    over: bool = False


class Eyes:
    """A vLLM engine of one checkpoint."""

    def __init__(self, folder: Path, **engine_args: Any) -> None:
        self.text = AuraText.read(folder)
        told: Mapping[str, Any] = settings(4, "float32", 4_096) | {
            "enforce_eager": True, "distributed_executor_backend": "uni", "block_size": 32,
            "kv_cache_memory_bytes": 64 << 20, "max_num_batched_tokens": 512, "generation_config": "vllm",
            "mm_processor_cache_gb": 0.25, "skip_mm_profiling": True,
        }  # fmt: skip
        self.engine = begun(folder, {**told, **engine_args})
        self._request = 0

    def look(self, *looks: Look) -> None:
        """All of them, until each is answered or dropped."""
        names = {f"{self._request + at}": look for at, look in enumerate(looks)}
        self._request += len(looks)
        waiting, step = dict(names), 0
        while any(not look.over for look in looks):
            for name in [name for name, look in waiting.items() if look.begins <= step]:
                self._ask(name, waiting.pop(name))
            outputs: list[Any] = self.engine.step()
            for output in outputs:
                self._hear(output, names[output.request_id])
            step += 1
            assert step < 2_000

    def _ask(self, name: str, look: Look) -> None:
        rendered = self.render(as_chunk(look.scene, self.text))
        look.prompt = list(rendered["prompt_token_ids"])
        self.engine.add_request(name, rendered, self._params(look), priority=look.priority)

    def render(self, chunk: PromptChunk) -> Any:
        from pipeline.engines.vllm.prompt import ready_prompt

        return ready_prompt(chunk, self.engine.renderer.mm_processor_cache)

    def _params(self, look: Look) -> Any:
        from pipeline.engines.vllm.conversion import sampling_params

        params = sampling_params(GREEDY, PromptChunk((), look.most))
        params.ignore_eos = True
        return params

    def _hear(self, output: Any, look: Look) -> None:
        look.tokens += output.outputs[0].token_ids
        look.cached = output.num_cached_tokens or 0
        look.over = output.finished
        if look.aborted is not None and len(look.tokens) >= look.aborted and not look.over:
            self.engine.abort_request([output.request_id])
            look.over = True

    def close(self) -> None:
        """Frees what the next engine of this process needs."""
        ended(self.engine)
