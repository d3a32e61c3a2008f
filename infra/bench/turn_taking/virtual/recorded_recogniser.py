"""The embedded profile's recogniser on virtual time: what it hears is computed once and kept in a file."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

from pipeline.engines.whisper.decoder import HeardWords, WhisperDecoder
from pipeline.types.chunks import AsrInput, Transcript

RULES = 2  # of what the decoder tells of a pass: what was recorded by others is heard once more


class RecordedRecogniser:
    """`Engine[AsrInput, Transcript]`, whose passes all take the same time on the loop's clock.

    Args:
        model: Whisper's folder.
        record: A JSON value a line: what was heard in which sound. It grows.
        pass_s: Seconds of a pass.
    """

    def __init__(self, model: Path, record: Path, pass_s: float) -> None:
        self._model, self._record, self._pass_s = model, record, pass_s
        self._decoder: WhisperDecoder | None = None
        self._known: dict[str, HeardWords] = {}
        self.passes = 0
        if record.exists():
            lines = (json.loads(line) for line in record.read_text().splitlines())
            told = (line for line in lines if line.get("rules") == RULES)
            self._known = {line["sound"]: HeardWords(line["text"], "", line["sentence_end"]) for line in told}

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async for window in prompts:
            heard, end_ms = self._hear(window), window.audio_end_ms
            await asyncio.sleep(self._pass_s)
            language, sentence_end = window.language or "", heard.sentence_end
            yield Transcript(heard.text, end_ms, window.settles, language=language, sentence_end=sentence_end)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""

    def _hear(self, window: AsrInput) -> HeardWords:
        self.passes += 1
        language = window.language or "en"
        sound = hashlib.sha256(window.pcm.tobytes() + f"{self._model.name} {language}".encode()).hexdigest()[:24]
        if sound not in self._known:
            self._decoder = self._decoder or WhisperDecoder(self._model, 1)
            heard = self._known[sound] = self._decoder.hear(window.pcm, language)
            with self._record.open("a") as file:
                told = {"sound": sound, "text": heard.text, "sentence_end": heard.sentence_end, "rules": RULES}
                file.write(json.dumps(told) + "\n")
        return self._known[sound]
