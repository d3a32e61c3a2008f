"""Requests whose prompts go on while they are answered: what an engine is told, and what it says."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pipeline.types.chunks import DraftOutcome
from pipeline.types.function_tools import ToolOptions


@dataclass(frozen=True, slots=True)
class RequestSampling:
    """How one request draws its tokens; the same for all of its parts.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_k: Draws from so many of the likeliest tokens; 0: from all.
        seed: The same seed draws the same tokens of the same logits, whatever else is in the batch; None draws anew.
        logprobs: Ids that come back with each token, beside its own.
        whole: What is written comes back all at once at its end, as nobody reads part of it. One with a draft comes
            piece by piece: the first tells what of the draft was right.
    """

    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float
    stop_token_ids: tuple[int, ...]
    seed: int | None = None
    logprobs: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class MediaItem:
    """What stands in the place of some tokens, ready for the model.

    Attributes:
        kind: `video`, `image` or `audio`.
        name: Stands for the content: what has the same name is encoded once.
        at: Index in the part's `token_ids` of the first that is filled with what was encoded.
        tokens: How many there are.
        item: Makes of it what vLLM's processor of the model would. An engine that holds it already does not ask.
        grid: Of what is seen, its height and width in tokens, where somebody behind the model must know; None: nobody.
    """

    kind: str
    name: str
    at: int
    tokens: int
    item: Callable[[], Any]
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PromptChunk:
    """A piece of a request: what is prefilled next, and how many tokens may be written after it.

    The parts after the first begin with the token that was written last: vLLM drops it from what it
    remembers of a part that has ended.

    Attributes:
        media: What is seen and heard, in the order of its tokens.
        cache_salt: Whose it is: prompts of one salt share a prefix cache, others never do.
        draft: What may be written first. It is verified with the prompt, and what is written goes on after it.
        tools: What is written may call these, and each call is one that can be made.
    """

    token_ids: tuple[int, ...]
    max_tokens: int
    min_tokens: int = 0
    extra_args: Mapping[str, Any] = field(default_factory=dict)
    media: Sequence[MediaItem] = ()
    cache_salt: str = ""
    draft: tuple[int, ...] = ()
    tools: ToolOptions = field(default=ToolOptions())


@dataclass(frozen=True, slots=True)
class EngineOutput:
    """What was written since the last time.

    Attributes:
        token_ids: The new tokens, one a step.
        beside: For each of them, the ids of its logprobs after its own.
        chunk_ended: All tokens of the part have been written, or a stop token has.
        stopped: A stop token was written; it is the last of `token_ids`.
        prompt_tokens: How many tokens the whole prompt has so far.
        cached_tokens: How many of the prompt's tokens were found in the prefix cache.
        refused: The engine could not serve the request; nothing was written.
        likeliest: In the first output of a part, the likeliest token in the place of each token of the draft. Empty if
            the engine had some of the draft in its cache.
        draft: In the first output of an answer that was drafted, what became of the draft.
    """

    token_ids: tuple[int, ...]
    beside: tuple[tuple[int, ...], ...]
    chunk_ended: bool
    stopped: bool
    prompt_tokens: int = 0
    cached_tokens: int = 0
    refused: bool = False
    likeliest: tuple[int, ...] = ()
    draft: DraftOutcome | None = None


class EngineProcess(Protocol):
    """What an engine that computes says of itself."""

    async def busy(self) -> int: ...

    async def died(self) -> None: ...

    async def aclose(self) -> None: ...


class PromptEngine(EngineProcess, Protocol):
    """An engine that is given whole prompts: `pipeline.engines.vllm.engine.VllmEngine`, or a fake."""

    def answer(
        self, request_id: str, sampling: RequestSampling, part: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]: ...


class StreamingPromptEngine(EngineProcess, Protocol):
    """The engine that computes: `pipeline.engines.vllm.engine.VllmEngine`, or a fake."""

    def generate(
        self, request_id: str, sampling: RequestSampling, parts: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[EngineOutput, None]: ...
