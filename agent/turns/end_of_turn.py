"""This module asks LiveKit's model, the pipeline's and the words whether a turn is over."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from livekit import rtc
from livekit.agents.inference import TurnDetector
from livekit.agents.language import LanguageCode

from agent.turns.end_evidence import EndEvidence
from pipeline.realtime.sentence_words import Unfinished

HEARD_S = 0.2  # of silence, after which LiveKit asks its model: `MIN_SILENCE_DURATION_MS`


class PipelineWitnesses(Protocol):
    """The pipeline knows what the person has said, and may have an opinion of how they sound."""

    async def words_over(self, until: float) -> bool | None:
        """Whether it ends a sentence; None if that is not known by `until`, on the loop's clock."""
        ...

    @property
    def sentence_end(self) -> float | None:
        """Probability that a sentence ends behind what `words_over` has judged, by the recogniser; None: it does not
        tell."""
        ...

    @property
    def words_short(self) -> bool:
        """Whether what `words_over` has judged is a word or two."""
        ...

    @property
    def unfinished(self) -> Unfinished | None:
        """What is still to come behind that; None: it may be all."""
        ...

    async def sound_vote(self, until: float) -> float | None:
        """Probability that they have finished; None if that is not known by `until`, on the loop's clock."""
        ...


class EndDelays(Protocol):
    """The delays are how long after the last word a turn ends, by what the witnesses say."""

    @property
    def early_end_s(self) -> float: ...

    @property
    def end_s(self) -> float: ...

    @property
    def longest_end_s(self) -> float: ...

    def delay_s(self, evidence: EndEvidence) -> float: ...


# Told what was found: it sounds over; its words end a sentence, None if that is not known.
Judged = Callable[[bool, bool | None], None]


class EndOfTurnDetector(TurnDetector):
    """LiveKit's model, which runs on this machine and is asked at the first pause; with it, the pipeline.

    LiveKit ends a turn at its shortest delay if a prediction reaches the threshold that it asks for, and else at its
    longest. So that threshold is told when the turn may end, and agrees with what all have said.
    """

    def __init__(self, delays: EndDelays, pipeline: PipelineWitnesses, judged: Judged) -> None:
        super().__init__(version="v1-mini")
        self._delays, self._pipeline, self._judged = delays, pipeline, judged

    def stream(self, **options: Any) -> Any:
        return EndOfTurnStream(super().stream(**options), self._delays, self._pipeline, self._judged)


class EndOfTurnStream:
    """The stream is LiveKit's, but for when it says what threshold a prediction must reach."""

    def __init__(self, sound: Any, delays: EndDelays, pipeline: PipelineWitnesses, judged: Judged) -> None:
        self._sound, self._delays, self._pipeline, self._judged = sound, delays, pipeline, judged
        self._prediction: asyncio.Future[Any] | None = None
        self._spoken_until = 0.0

    def predict(self) -> "asyncio.Future[Any]":
        self._spoken_until = _now() - HEARD_S
        self._prediction = self._sound.predict()
        return self._prediction

    async def unlikely_threshold(self, language: LanguageCode | None) -> float | None:
        """Return the threshold when the turn may end, or when it is known to be unlikely over."""
        least: float | None = await self._sound.unlikely_threshold(language)
        if least is None or self._prediction is None or not self._prediction.done():
            return least
        spoken_until, delays = self._spoken_until, self._delays
        found = float(self._prediction.result().end_of_turn_probability)
        vote = await self._pipeline.sound_vote(spoken_until + delays.end_s)
        # No turn is taken without its words: until they are there, nothing is lost by waiting for what they say.
        words_over = await self._pipeline.words_over(spoken_until + delays.longest_end_s)
        self._judged(found >= least, words_over)
        pipeline = self._pipeline
        unfinished = pipeline.unfinished if words_over is False else None
        evidence = EndEvidence(
            found, least, words_over, vote, pipeline.words_short, unfinished, sentence_end=pipeline.sentence_end
        )
        delay_s = delays.delay_s(evidence)
        if delay_s == delays.longest_end_s:
            return max(least, found + 0.01)
        if delay_s > delays.early_end_s:  # that one LiveKit itself waits for
            await asyncio.sleep(spoken_until + delay_s - _now())
        return min(least, found)

    # What is LiveKit's own.

    @property
    def model(self) -> str:
        return str(self._sound.model)

    @property
    def provider(self) -> str:
        return str(self._sound.provider)

    @property
    def is_fallback(self) -> bool:
        return bool(self._sound.is_fallback)

    @property
    def prediction_timeout(self) -> float:
        return float(self._sound.prediction_timeout)

    async def backchannel_threshold(self, language: LanguageCode | None) -> float | None:
        least: float | None = await self._sound.backchannel_threshold(language)
        return least

    async def supports_language(self, language: LanguageCode | None) -> bool:
        return bool(await self._sound.supports_language(language))

    def cancel_inference(self, *, timed_out: bool = False) -> None:
        self._sound.cancel_inference(timed_out=timed_out)

    def flush(self, reason: str | None = None) -> None:
        self._sound.flush(reason=reason)

    def push_audio(self, frame: rtc.AudioFrame) -> None:
        self._sound.push_audio(frame)

    def end_input(self) -> None:
        self._sound.end_input()

    async def aclose(self) -> None:
        await self._sound.aclose()


def _now() -> float:
    return asyncio.get_running_loop().time()
