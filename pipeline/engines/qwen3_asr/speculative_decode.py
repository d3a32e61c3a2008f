"""Verifies a draft of an answer in one step; only what comes after its first wrong token is written one by one."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from itertools import takewhile

from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.common_prefix import common_prefix
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, PromptEngine, RequestSampling
from pipeline.types.chunks import DraftOutcome


async def drafted(
    requests: PromptEngine, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
) -> AsyncGenerator[EngineOutput, None]:
    """As `requests.answer` of a part without its draft: the same tokens, the sooner the more of the draft is right.

    That is speculative decoding, whose draft is there before the engine is asked. A draft that is right takes no step
    of its own. One that is wrong takes two: the answer goes on in a request of its own, behind the token that takes
    the wrong one's place, while that of the draft is dropped.

    Raises:
        EngineError: The engine failed, or does not take the part.
    """
    draft = usable(sampling, chunk)
    drafted = replace(chunk, draft=draft, max_tokens=chunk.max_tokens - len(draft))
    name = f"{request_id}.draft" if draft else request_id
    async with aclosing(requests.answer(name, sampling, drafted, priority)) as pieces, BackgroundTasks() as tasks:
        first = await anext(pieces)
        known = verified(draft, first.likeliest)
        tried = DraftOutcome(len(draft), common_prefix(draft, first.likeliest)) if draft else None
        if known == draft:
            yield replace(first, token_ids=(*draft, *first.token_ids), draft=tried)
            async for piece in pieces:
                yield piece
            return
        tasks.start(f"{name}:drop", pieces.aclose)
        stopped = any(each in sampling.stop_token_ids for each in known[-1:])
        yield EngineOutput(known, (), stopped, stopped, draft=tried)
        if stopped:
            return
        left = replace(chunk, token_ids=(*chunk.token_ids, *known), max_tokens=chunk.max_tokens - len(known), draft=())
        async with aclosing(requests.answer(request_id, sampling, left, priority)) as rest:
            async for piece in rest:
                yield piece


def usable(sampling: RequestSampling, chunk: PromptChunk) -> tuple[int, ...]:
    """Returns what of a draft can be verified: none where tokens are drawn, or not taken as the model weighs them."""
    if sampling.temperature or sampling.repetition_penalty != 1 or sampling.logprobs is not None or chunk.min_tokens:
        return ()
    draft = takewhile(lambda each: each not in sampling.stop_token_ids, chunk.draft)
    return tuple(draft)[: chunk.max_tokens - 1]


def verified(draft: tuple[int, ...], likeliest: tuple[int, ...]) -> tuple[int, ...]:
    """What the model itself writes: the draft as far as it is right, then its own token in the place of a wrong one."""
    return likeliest[: common_prefix(draft, likeliest) + 1]
