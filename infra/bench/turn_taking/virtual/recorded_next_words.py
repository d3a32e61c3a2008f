"""What the embedded language model would write next, of words that were heard: computed once, and kept in a file."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from threading import Thread

from infra.bench.eot.next_words import NextWords, next_words
from pipeline.speech.sentences.sentence_words import is_short
from pipeline.topology.processors.preamble import PREAMBLE

TOLD = "(It is Friday, 27 November 2026, 10:41.)\n"  # as every question is told the time


class RecordedNextWords:
    """Asks behind the product's own prompt, on a thread, where time is real. The model is opened when it is first asked
    something new.

    Args:
        models_dir: Where the models are.
        record: A JSON value a line: what was found of which words. It grows.
    """

    def __init__(self, models_dir: Path, record: Path) -> None:
        self._models_dir, self._record = models_dir, record
        self._loop, self._open = asyncio.new_event_loop(), AsyncExitStack()
        self._thread = Thread(target=self._loop.run_forever, name="next-words")
        self._thread.start()  # and goes on while nobody asks: so a connection that the server closes is noticed
        self._model: NextWords | None = None
        self._known: dict[str, float] = {}
        if record.exists():
            lines = (json.loads(line) for line in record.read_text().splitlines())
            self._known = {line["words"]: line["over"] for line in lines}

    def said_over(self, words: str) -> float | None:
        """Probability that this is all that somebody has to say; None: of a word or two it is not asked.

        Raises:
            ConfigError: The model is missing.
        """
        if is_short(words):
            return None
        if words not in self._known:
            self._known[words] = asyncio.run_coroutine_threadsafe(self._asked(words), self._loop).result()
            with self._record.open("a") as file:
                file.write(json.dumps({"words": words, "over": self._known[words]}) + "\n")
        return self._known[words]

    def close(self) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._open.aclose(), self._loop).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _asked(self, words: str) -> float:
        if self._model is None:
            self._model = await self._open.enter_async_context(next_words(self._models_dir, PREAMBLE))
        return await self._model.over(TOLD + words)
