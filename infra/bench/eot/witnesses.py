"""What each witness says at each moment: LiveKit's model, Smart Turn, the words, and the language model."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np
from livekit.local_inference import EOT, EOT_MAX_SAMPLES

from infra.bench.base.pieces import RATE, Pcm, spoken
from infra.bench.eot.next_words import NextWords
from infra.bench.eot.turns import HEARD_S, TurnScript, moments
from infra.bench.eot.voices import Voice
from pipeline.engines.smart_turn.model import NAME, SmartTurnModel
from pipeline.engines.whisper.decoder import WhisperDecoder
from pipeline.speech.sentences.sentence_words import Unfinished, is_short, unfinished, words_over

LANGUAGE = "en"  # of all turns


class Verdicts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found at one moment of one turn.

    Attributes:
        pause_s: How long the person is silent; None: they have finished.
        livekit: Probability of an end by LiveKit's v1-mini.
        smart_turn: The same by Smart Turn.
        words: What the recogniser makes of it.
        language_model: Probability that the sentence ends behind these words; None: it was not asked.
        sentence_end: The same by the recogniser; None: it does not tell.
    """

    turn: int
    moment: int
    voice: str
    kind: str
    fits: bool
    pause_s: float | None
    livekit: float
    smart_turn: float
    words: str
    language_model: float | None = None
    sentence_end: float | None = None

    @property
    def is_end(self) -> bool:
        return self.pause_s is None

    @property
    def words_over(self) -> bool | None:
        return words_over(self.words, LANGUAGE)

    @property
    def unfinished(self) -> Unfinished | None:
        return unfinished(self.words, LANGUAGE)


class Said(msgspec.Struct, frozen=True):
    """What the witnesses say of one sound; attributes as of `Verdicts`."""

    livekit: float
    smart_turn: float
    words: str
    language_model: float | None = None
    sentence_end: float | None = None


class Witnesses:
    """All of them, loaded."""

    def __init__(self, models_dir: Path, language_model: NextWords | None = None) -> None:
        """Loads their models.

        Args:
            language_model: None: it is not asked.

        Raises:
            ConfigError: A model is missing.
        """
        self._smart_turn = SmartTurnModel(models_dir / NAME)
        self._recogniser = WhisperDecoder(models_dir / "whisper-base", 1)
        self._livekit = EOT()
        self._language_model = language_model

    async def hear(self, script: TurnScript, name: str, voice: Voice) -> AsyncIterator[Verdicts]:
        """What they say of one turn, moment by moment."""
        # On threads, else nobody notices that the language model's server closes a connection that has rested.
        sounds = await asyncio.to_thread(spoken, script.pieces, lambda text: voice(text, script.number))
        for moment in moments(sounds, crc32(f"{script.number} {name}".encode())):
            said = await self.judge(moment.sound, "en")
            yield Verdicts(
                script.number,
                moment.number,
                name,
                script.kind,
                script.fits,
                moment.pause_s,
                said.livekit,
                said.smart_turn,
                said.words,
                said.language_model,
                said.sentence_end,
            )

    async def judge(self, sound: Pcm, language: str | None) -> Said:
        """What they say of a sound that ends with `HEARD_S` of silence.

        Args:
            sound: 16 kHz mono.
            language: ISO 639-1 code; None: it is detected.
        """
        livekit = self._livekit.predict((np.clip(sound[-EOT_MAX_SAMPLES:], -1, 1) * 32_767).astype(np.int16))
        heard = await asyncio.to_thread(self._recogniser.hear, sound[: -round((HEARD_S - 0.1) * RATE)], language)
        words = heard.text
        likely = await self._language_model.over(words) if self._language_model and words else None
        sentence_end = None if is_short(words) else heard.sentence_end
        return Said(float(livekit), await self._smart_turn.judge(sound), words, likely, sentence_end)

    async def aclose(self) -> None:
        await self._smart_turn.aclose()
