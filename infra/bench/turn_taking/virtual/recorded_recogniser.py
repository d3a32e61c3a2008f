"""The embedded profile's recogniser on virtual time: what it hears is computed once and kept in a file."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

from pipeline.engines.whisper.decoder import WhisperDecoder
from pipeline.types.chunks import AsrInput, Transcript


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
        self._known: dict[str, str] = {}
        self.passes = 0
        if record.exists():
            lines = (json.loads(line) for line in record.read_text().splitlines())
            self._known = {line["sound"]: line["text"] for line in lines}

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async for window in prompts:
            text = self._read(window)
            await asyncio.sleep(self._pass_s)
            yield Transcript(text, window.audio_end_ms, window.settles, language=window.language or "")

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None:
        """Nothing to free."""

    def _read(self, window: AsrInput) -> str:
        self.passes += 1
        language = window.language or "en"
        sound = hashlib.sha256(window.pcm.tobytes() + f"{self._model.name} {language}".encode()).hexdigest()[:24]
        if sound not in self._known:
            self._decoder = self._decoder or WhisperDecoder(self._model, 1)
            self._known[sound] = self._decoder.read(window.pcm, language)
            with self._record.open("a") as file:
                file.write(json.dumps({"sound": sound, "text": self._known[sound]}) + "\n")
        return self._known[sound]
