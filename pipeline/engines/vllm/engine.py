"""One vLLM engine: requests whose prompts go on while they are answered."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from vllm import SamplingParams, envs
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.engine.protocol import StreamingInput
from vllm.exceptions import VLLMClientError
from vllm.inputs import MultiModalInput, TokensInput
from vllm.usage.usage_lib import UsageContext
from vllm.utils.system_utils import kill_process_tree
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

from pipeline.engines.vllm.blocking_start import started
from pipeline.engines.vllm.conversion import sampling_params, written
from pipeline.engines.vllm.fork_server import METHOD, serve_forks
from pipeline.engines.vllm.prompt import items_of, ready_prompt, unsent
from pipeline.errors import ConfigError, EngineError
from pipeline.models.registry import import_models
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling

TOLD_S = 10.0  # in which vLLM tells the requests of an engine that has died
TRIES = 3  # of a request that the engine refuses
DIED = "the engine has died"
REFUSED = "a request was not served: the engine refused it"
CONFIGURING = threading.Lock()
ALIVE_S = 1.0  # how often whoever waits for an answer looks whether the engine lives


class VllmEngine:
    """An engine in processes of its own, for many requests at once. When it was closed, it is as if it had died.

    Args:
        stage: Named in errors.
    """

    def __init__(self, llm: AsyncLLM, stage: str) -> None:
        self._opened: AsyncLLM | None = llm
        self._stage = stage

    @staticmethod
    async def open(stage: str, model: Path, **engine_args: Any) -> "VllmEngine":
        """Started and warm.

        Args:
            engine_args: As vLLM's `AsyncEngineArgs` names them.

        Raises:
            ConfigError: vLLM does not take the model, or an argument.
            EngineError: The engine did not start.
        """
        serve_forks()
        envs.environment_variables[METHOD] = lambda: "forkserver"  # which the variable's own values do not offer
        try:
            # vLLM's figures would be those of one engine, the last to start; two that start at once fail over them.
            told = {"generation_config": "vllm", "disable_log_stats": True, **engine_args}
            args = AsyncEngineArgs(model=str(model), **told)
            llm = await started(partial(_started, args), kill_process_tree)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"stage {stage}", [str(error)]) from error
        except RuntimeError as error:
            raise EngineError(stage, f"the engine did not start: {error}") from error
        return VllmEngine(llm, stage)

    async def generate(
        self, request_id: str, sampling: RequestSampling, prompt_chunks: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[EngineOutput, None]:
        """Prefills and decodes by turns, until the parts end or a stop token is written.

        A request whose part has ended waits for the next one, and keeps what it has read. Closing
        returns when the engine has dropped the request.

        Raises:
            EngineError: The engine failed.
        """
        first = sampling_params(sampling, PromptChunk((), 1))
        inputs = self._inputs(sampling, prompt_chunks)
        try:
            async with aclosing(self._outputs(inputs, first, request_id)) as pieces:
                async for piece in pieces:
                    if piece.refused:
                        raise EngineError(self._stage, REFUSED)
                    yield piece
                    if piece.stopped:
                        break
        finally:
            await closed(inputs)
            await self._fence()

    async def answer(
        self, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        """One part that is the whole request. Closing before its end returns when the engine has dropped it.

        What a request shows is sent once: vLLM remembers that the engine has it. If that request was cancelled on its
        way, the engine has not; it refuses the next one, and vLLM then sends it with that.

        Args:
            priority: Requests with a lower number come first.

        Raises:
            EngineError: The engine failed, or does not take the part.
        """
        ended = begun = False
        try:
            for _ in range(TRIES):
                ended = refused = False
                rendered = await self._rendered(chunk)
                params = sampling_params(sampling, chunk)
                async with aclosing(self._outputs(rendered, params, request_id, priority, len(chunk.draft))) as pieces:
                    async for piece in pieces:
                        ended, refused = piece.chunk_ended, piece.refused
                        if not refused:
                            begun = True
                            yield piece
                if not refused:
                    return
                if begun:
                    break
            raise EngineError(self._stage, REFUSED)
        except EngineDeadError as error:
            raise EngineError(self._stage, DIED) from error
        except (VLLMClientError, ValueError) as error:
            raise EngineError(self._stage, f"a request was not served: {error}") from error
        finally:
            if not ended:
                await self._fence()

    async def busy(self) -> int:
        """1 while the engine has any request, 0 when it is idle, or dead; the engine itself says so."""
        with suppress(EngineDeadError):
            return int(await self._answer(lambda: self._llm.engine_core.call_utility_async("has_work")))
        return 0

    async def died(self) -> None:
        """Returns when its processes have ended, and every request has been told so."""
        with suppress(EngineDeadError):
            while not self._llm.errored:  # noqa: ASYNC110 - vLLM tells nobody
                await asyncio.sleep(ALIVE_S)
            if handler := self._llm.output_handler:
                await asyncio.wait([handler], timeout=TOLD_S)

    async def aclose(self) -> None:
        llm, self._opened = self._opened, None  # it shuts down again when it goes, for which Python must still be whole
        if llm is None:
            return
        if handler := llm.output_handler:  # it would take the end of its engine for a failure
            handler.cancel()
            await asyncio.wait([handler])
        llm.output_processor.propagate_error(EngineDeadError())  # which would else wait for ever, if it hangs
        await asyncio.to_thread(llm.shutdown)

    @property
    def _llm(self) -> AsyncLLM:
        """Returns vLLM's engine while it is open.

        Raises:
            EngineDeadError: It has been closed.
        """
        if self._opened is None:
            raise EngineDeadError
        return self._opened

    async def _inputs(
        self, sampling: RequestSampling, prompt_chunks: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[StreamingInput, None]:
        async with aclosing(prompt_chunks):
            async for chunk in prompt_chunks:
                yield StreamingInput(await self._rendered(chunk), sampling_params(sampling, chunk))

    async def _rendered(self, chunk: PromptChunk) -> MultiModalInput | TokensInput:
        cache = self._llm.renderer.mm_processor_cache
        new = unsent(chunk, cache)
        items = await asyncio.to_thread(items_of, new) if new else {}
        return ready_prompt(chunk, cache, items)

    async def _outputs(
        self, prompt: Any, params: SamplingParams, request_id: str, priority: int = 0, draft: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        try:
            async with aclosing(self._llm.generate(prompt, params, request_id, priority=priority)) as outputs:
                async for output in outputs:
                    yield written(output, draft)
        except EngineDeadError as error:
            raise EngineError(self._stage, DIED) from error
        except (VLLMClientError, EngineGenerateError) as error:
            raise EngineError(self._stage, f"a request was not served: {error}") from error

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
            try:
                async with asyncio.timeout(ALIVE_S):
                    return await ask()
            except TimeoutError:
                continue
            except EngineDeadError:
                raise
            except Exception as error:  # vLLM has no type for an engine that is ending and answers nothing more
                raise EngineDeadError from error


def _started(args: AsyncEngineArgs) -> AsyncLLM:
    """Several may start at once, but for their configurations: meanwhile vLLM has settings of a whole process."""
    told = args.hf_overrides
    with CONFIGURING:
        import_models(told.get("architectures", ()) if isinstance(told, dict) else ())
        config = args.create_engine_config(UsageContext.ENGINE_CONTEXT)
    return AsyncLLM.from_vllm_config(
        config, enable_log_requests=args.enable_log_requests, disable_log_stats=args.disable_log_stats
    )


async def closed(generator: AsyncGenerator[Any, None]) -> None:
    """Close a generator that a task of vLLM's reads, which is cancelled, but may not have gone yet."""
    while True:
        try:
            return await generator.aclose()
        except RuntimeError:
            if not generator.ag_running:  # type: ignore[attr-defined]
                raise
            await asyncio.sleep(0)
