"""A part of a request, and what is written of it, in vLLM's own types. Pure."""

from functools import lru_cache

from vllm import SamplingParams
from vllm.exceptions import VLLMClientError
from vllm.logprobs import FlatLogprobs
from vllm.outputs import RequestOutput
from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar

from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.tools.structural_tag import structural_tag
from pipeline.types.function_tools import FunctionTool, ToolOptions

KEPT = 256  # sets of functions whose tag is remembered


def sampling_params(sampling: RequestSampling, chunk: PromptChunk) -> SamplingParams:
    """Returns the sampling parameters of one chunk of a request, each of which has its own."""
    whole = sampling.whole and not chunk.draft
    return SamplingParams(
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        repetition_penalty=sampling.repetition_penalty,
        seed=sampling.seed,
        stop_token_ids=list(sampling.stop_token_ids),
        max_tokens=chunk.max_tokens,
        min_tokens=chunk.min_tokens,
        logprobs=sampling.logprobs,
        prompt_logprobs=1 if chunk.draft else None,
        flat_logprobs=True,
        skip_reading_prefix_cache=False,  # what comes before the draft need not be prefilled for it
        detokenize=False,
        output_kind=RequestOutputKind.FINAL_ONLY if whole else RequestOutputKind.DELTA,
        extra_args=dict(chunk.extra_args),
        structured_outputs=structured_outputs(chunk.tools),
    )


def structured_outputs(options: ToolOptions) -> StructuredOutputsParams | None:
    """What vLLM holds an answer to; None: it may write what it likes, because it may call nothing."""
    return StructuredOutputsParams(structural_tag=_tag(options)) if options.callable_tools else None


@lru_cache(KEPT)
def _tag(options: ToolOptions) -> str:
    plain = [tool.name for tool in options.callable_tools if not _is_held(tool)]
    return structural_tag(options, plain)


@lru_cache(KEPT)
def _is_held(tool: FunctionTool) -> bool:
    """Whether vLLM can hold a call to the function's schema."""
    alone = StructuredOutputsParams(structural_tag=structural_tag(ToolOptions((tool,))))
    try:
        validate_xgrammar_grammar(SamplingParams(structured_outputs=alone))
    except (VLLMClientError, ValueError):
        return False
    return True


def written(output: RequestOutput, draft: int = 0) -> EngineOutput:
    """Converts what vLLM wrote to our own value, without its types.

    Args:
        draft: How many tokens the draft of its part has.
    """
    (completion,) = output.outputs
    ids = tuple(completion.token_ids)
    flat = completion.logprobs
    beside: tuple[tuple[int, ...], ...] = ()
    if flat is not None:
        spans = zip(flat.start_indices, flat.end_indices, strict=True)
        beside = tuple(tuple(flat.token_ids[begin + 1 : end]) for begin, end in spans)
    reason = completion.finish_reason
    prompt, cached = len(output.prompt_token_ids or ()), output.num_cached_tokens or 0
    best = likeliest(output.prompt_logprobs, draft)
    return EngineOutput(ids, beside, reason is not None, reason == "stop", prompt, cached, reason == "error", best)


def likeliest(read: object, draft: int) -> tuple[int, ...]:
    """The likeliest tokens in the place of a prompt's last; none if not all of them were computed.

    Args:
        read: For each token of the prompt that was read, but for the first, itself and the likeliest in its place.
    """
    if not isinstance(read, FlatLogprobs) or not 0 < draft < len(read):
        return ()
    return tuple(read.token_ids[at + 1] for at in read.start_indices[-draft:])
