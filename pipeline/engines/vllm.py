"""One vLLM engine: requests whose prompts go on while they are answered."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from vllm import SamplingParams
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.engine.protocol import StreamingInput
from vllm.exceptions import VLLMClientError
from vllm.inputs import TokensPrompt
from vllm.sampling_params import RequestOutputKind
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

from pipeline.engines.parts import Part, Sampling, Written
from pipeline.errors import ConfigError, EngineError

ALIVE_S = 1.0  # how often whoever waits for an answer looks whether the engine lives


def sampling_params(sampling: Sampling, part: Part) -> SamplingParams:
    """What vLLM is told with a part; each has its own."""
    return SamplingParams(
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        repetition_penalty=sampling.repetition_penalty,
        seed=sampling.seed,
        stop_token_ids=list(sampling.stop_token_ids),
        max_tokens=part.max_tokens,
        min_tokens=part.min_tokens,
        logprobs=sampling.logprobs,
        flat_logprobs=sampling.logprobs is not None,
        detokenize=False,
        output_kind=RequestOutputKind.DELTA,
        extra_args=dict(part.extra_args),
    )


def written(completion: Any) -> Written:
    """What a `CompletionOutput` of vLLM says."""
    ids = tuple(completion.token_ids)
    flat = completion.logprobs
    beside: tuple[tuple[int, ...], ...] = ()
    if flat is not None:
        spans = zip(flat.start_indices, flat.end_indices, strict=True)
        beside = tuple(tuple(flat.token_ids[begin + 1 : end]) for begin, end in spans)
    reason = completion.finish_reason
    return Written(ids, beside, reason is not None, reason == "stop")


class Vllm:
    """An engine in processes of its own, for many requests at once.

    Args:
        stage: Named in errors.
    """

    def __init__(self, llm: AsyncLLM, stage: str) -> None:
        self._llm = llm
        self._stage = stage

    @staticmethod
    async def open(stage: str, model: Path, **engine_args: Any) -> "Vllm":
        """Started and warm.

        Args:
            engine_args: As vLLM's `AsyncEngineArgs` names them.

        Raises:
            ConfigError: vLLM does not take the model, or an argument.
            EngineError: The engine did not start.
        """
        os.environ["VLLM_USE_V2_MODEL_RUNNER"] = "1"  # vLLM reads this switch from the environment only
        try:
            args = AsyncEngineArgs(model=str(model), generation_config="vllm", **engine_args)
            llm = await asyncio.to_thread(AsyncLLM.from_engine_args, args)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"stage {stage}", [str(error)]) from error
        except RuntimeError as error:
            raise EngineError(stage, f"the engine did not start: {error}") from error
        return Vllm(llm, stage)

    async def generate(
        self, request_id: str, sampling: Sampling, parts: AsyncGenerator[Part, None]
    ) -> AsyncGenerator[Written, None]:
        """Reads and writes by turns, until the parts end or a stop token is written.

        A request whose part has ended waits for the next one, and keeps what it has read. Closing
        returns when the engine has dropped the request.

        Raises:
            EngineError: The engine failed.
        """
        first = sampling_params(sampling, Part((), 1))
        inputs = self._inputs(sampling, parts)
        outputs = self._llm.generate(inputs, first, request_id)
        try:
            async with aclosing(outputs):
                async for output in outputs:
                    piece = written(output.outputs[0])
                    yield piece
                    if piece.stopped:
                        break
        except EngineDeadError as error:
            raise EngineError(self._stage, "the engine has died") from error
        except (VLLMClientError, EngineGenerateError) as error:
            raise EngineError(self._stage, f"a request was not served: {error}") from error
        finally:
            await closed(inputs)
            await self._fence()

    async def busy(self) -> int:
        """1 while the engine has any request, 0 when it is idle, or dead; the engine itself says so."""
        with suppress(EngineDeadError):
            return int(await self._answer(lambda: self._llm.engine_core.call_utility_async("has_work")))
        return 0

    async def aclose(self) -> None:
        await asyncio.to_thread(self._llm.shutdown)
        del self._llm  # it shuts down again when it goes, for which Python must still be whole

    async def _inputs(
        self, sampling: Sampling, parts: AsyncGenerator[Part, None]
    ) -> AsyncGenerator[StreamingInput, None]:
        async with aclosing(parts):
            async for part in parts:
                # A list of its own: vLLM extends it in place.
                prompt: TokensPrompt = {"prompt_token_ids": list(part.token_ids)}
                (rendered,) = await self._llm.renderer.render_cmpl_async([prompt])
                yield StreamingInput(rendered, sampling_params(sampling, part))

    async def _fence(self) -> None:
        """Any question is answered after what was asked before it: after the abort."""
        with suppress(EngineDeadError):
            await self._answer(self._llm.is_sleeping)

    async def _answer(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """vLLM leaves a question open when the engine dies before it answers.

        Raises:
            EngineDeadError: It has died.
        """
        while True:
            if self._llm.errored:
                raise EngineDeadError
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_S):
                    return await ask()


async def closed(generator: AsyncGenerator[Any, None]) -> None:
    """Close a generator that a task of vLLM's reads, which is cancelled, but may not have gone yet."""
    while True:
        try:
            return await generator.aclose()
        except RuntimeError:
            if not generator.ag_running:  # type: ignore[attr-defined]
                raise
            await asyncio.sleep(0)
