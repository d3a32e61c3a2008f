"""Writes down how long each request waited in vLLM's engines, from within the server: a stat logger of vLLM's.

vLLM loads it in the server's process, as the entry point `vllm.stat_logger_plugins` says. What it has written is read
with `tests.gpu.chain_meters`, which knows no vLLM.
"""

import json
import os
import threading
from pathlib import Path
from typing import Any

from vllm.v1.engine import FinishReason
from vllm.v1.metrics.loggers import StatLoggerBase

from tests.gpu.chain_meters import REQUESTS


class RequestLog(StatLoggerBase):
    """Appends a line of JSON for each request that was answered, and for each new thread of the server.

    An engine takes requests in between two steps: what they wait until then is part of `around_ms`, with the way of the
    last token back.
    """

    def __init__(self, vllm_config: Any, engine_index: int = 0) -> None:
        self._model = Path(vllm_config.model_config.model).name
        self._path = Path(os.environ[REQUESTS])
        self._threads: dict[int, str] = {}
        self._count = 0

    def record(
        self, scheduler_stats: Any, iteration_stats: Any, mm_cache_stats: Any = None, engine_idx: int = 0
    ) -> None:
        if (count := threading.active_count()) != self._count:  # it is asked in every step
            self._count = count
            self._note_threads()
        for each in iteration_stats.finished_requests if iteration_stats else ():
            if each.finish_reason in (FinishReason.STOP, FinishReason.LENGTH):
                self._write(
                    {
                        "model": self._model,
                        "most": each.max_tokens_param,
                        "around_ms": 1_000 * (each.e2e_latency - each.queued_time - each.inference_time),
                        "wait_ms": 1_000 * each.queued_time,
                        "step_ms": 1_000 * each.prefill_time,
                        "unread": each.num_prompt_tokens - each.num_cached_tokens,
                    }
                )

    def _note_threads(self) -> None:
        threads = {each.native_id: each.name for each in threading.enumerate() if each.native_id}
        if new := {number: name for number, name in threads.items() if self._threads.get(number) != name}:
            self._threads |= new
            self._write({"threads": new})

    def log_engine_initialized(self) -> None:
        """Nothing to say."""

    def _write(self, line: dict[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")
