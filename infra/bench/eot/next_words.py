"""Asks the embedded language model whether what somebody has said is all, by what it would write next."""

import math
import re
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pipeline.engines.embedded_models import FETCHED, LLAMA_FILES
from pipeline.engines.llamacpp.server.server import LlamaServer
from pipeline.engines.llamacpp.server.settings import LlamaServerSettings
from pipeline.engines.model_files import model_folder
from pipeline.types.chunks import ChatMessage

MODEL = "qwen2.5-coder-1.5b-instruct"
SYSTEM = ChatMessage("system", "You are AURA, a friendly voice assistant. You answer aloud, in one or two sentences.")
MARKS = " .,;:!?…-。？！"  # with which a recogniser ends what it has heard, be it all or not
END = re.compile(r"\s*[.?!。？！]")
NEXT = 40  # of the likeliest next tokens
CONTEXT, BATCH, REUSED, THREADS = 1024, 64, 8, 2


class NextWords:
    """The model and its cache, in which what is asked for begins."""

    def __init__(self, server: LlamaServer, before: tuple[ChatMessage, ...]) -> None:
        self._server, self._before = server, before

    async def over(self, words: str) -> float:
        """Probability that the sentence ends behind these words, whose marks are left out, or the message does."""
        behind = ChatMessage("user", f"{words.strip().rstrip(MARKS)} x")  # of which the last token is not asked for
        body = {
            "prompt": await self._server.tokenizer.tokens((*self._before, behind), unfinished=True),
            "n_predict": 1,
            "temperature": 0.0,
            "id_slot": 0,
            "cache_prompt": True,
            "n_probs": NEXT,
        }
        answer = await self._server.api.post("/completion", body)
        return ends(answer["completion_probabilities"][0]["top_logprobs"])


def ends(likeliest: list[dict[str, Any]]) -> float:
    """The share of next tokens that end a sentence, or have no text: those end a message."""
    return sum(math.exp(each["logprob"]) for each in likeliest if not each["token"] or END.match(each["token"]))


@asynccontextmanager
async def next_words(models_dir: Path, before: tuple[ChatMessage, ...] = (SYSTEM,)) -> AsyncGenerator[NextWords, None]:
    """The model in a process of its own.

    Args:
        before: What it has read before the words.

    Raises:
        ConfigError: It is missing, or cannot be loaded.
    """
    file = model_folder(models_dir, (MODEL, MODEL), LLAMA_FILES, FETCHED) / LLAMA_FILES[0]
    with tempfile.TemporaryDirectory() as saved:
        server = await LlamaServer.start(
            LlamaServerSettings(str(file), saved, 1, CONTEXT, BATCH, REUSED, THREADS, THREADS)
        )
        try:
            yield NextWords(server, before)
        finally:
            await server.aclose()
