"""One utterance at work: its sound is transcribed, and a speculative answer to it is prepared."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from pipeline.engines.base import Engine
from pipeline.media.spoken_sound import SpokenSound
from pipeline.session.response_request import ResponseRequest
from pipeline.speech.backchannel import label
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.turn_context import TurnContext
from pipeline.types.chunks import AsrInput, Transcript, TurnId
from pipeline.types.events.input_events import PartialTranscript, TranscriptionCompleted, TranscriptionFailed
from pipeline.types.history import History, Item
from pipeline.types.hypothesis import Hypothesis
from pipeline.types.turn_request import ResponseOptions

AHEAD_MS = 3_000  # of sound that may wait in a turn for playback


class Utterance:
    """What one person says, and when.

    Attributes:
        output: Takes the answer that is being prepared.
        request: What asked for it to be answered; None: nothing has yet.
        speech_end: When the person was last heard to speak, on the loop's clock.
        committed_at: When it became complete.
    """

    def __init__(self, turn: TurnId, item_id: str, transcriber: StreamingTranscriber) -> None:
        self.turn = turn
        self.item_id = item_id
        self.transcriber = transcriber
        self.output = SpeculativeOutput(AHEAD_MS)
        self.request: ResponseRequest | None = None
        self.speech_end: float | None = None
        self.committed_at: float | None = None

    @property
    def quiet_since(self) -> float | None:
        return self.committed_at or self.speech_end

    @property
    def sound(self) -> SpokenSound | None:
        """What was said so far, where somebody hears it."""
        return self.transcriber.spoken(self.item_id)

    def pause(self, silent_ms: int) -> None:
        """The person is silent, and has been for `silent_ms`."""
        self.speech_end = _now() - silent_ms / 1000

    def commit(self) -> None:
        """The utterance is complete."""
        self.committed_at = _now()

    def adopt(self, request: ResponseRequest) -> None:
        """Adopt the speculative answer as the one to `request`, if that turns out to be the same question."""
        self.request = request
        self.transcriber.settle()

    def context(self, history: History, response_options: ResponseOptions, heard: Hypothesis) -> TurnContext:
        """What may be asked, as the session stands now. Once it is adopted, that is what the request asks: if it turns
        out to have no words, what was said before it."""
        settled, likely = heard.settled, heard.likely
        if self.request:
            history, response_options = history.until(self.request.item_id), self.request.response_options
            settled |= self.request.besides and self.transcriber.certain and not self.transcriber.error
        sound = self.sound if settled or likely else None
        return TurnContext(history, response_options, self.item_id, heard.text, settled, heard.language, likely, sound)

    def partial(self, hypothesis: Hypothesis) -> PartialTranscript:
        return PartialTranscript(self.item_id, hypothesis, label(hypothesis.text))

    async def transcription(
        self, recogniser: Engine[AsrInput, Transcript]
    ) -> AsyncGenerator[PartialTranscript | TranscriptionCompleted | TranscriptionFailed, None]:
        """Hear it to its end, and tell what was heard."""
        transcriber = self.transcriber
        async with aclosing(transcriber.listen(recogniser, f"{self.turn}:asr")) as hypotheses:
            async for hypothesis in hypotheses:
                yield self.partial(hypothesis)
        if transcriber.error:
            await transcriber.until_committed()
            yield TranscriptionFailed(self.item_id, transcriber.error.reason)
        else:
            seconds = transcriber.duration_ms / 1000
            newest, drafts = transcriber.newest, tuple(transcriber.drafts)
            yield TranscriptionCompleted(self.item_id, newest.text, seconds, drafts, newest.language)

    async def hypotheses(self, early_ms: int = 0) -> AsyncGenerator[Hypothesis, None]:
        """What to answer. `early_ms` is the transcriber's."""
        async with aclosing(self.transcriber.hypotheses(early_ms)) as hypotheses:
            heard: tuple[str, int] | None = None
            async for hypothesis in hypotheses:
                if hypothesis.settled and heard != (heard := (hypothesis.text, hypothesis.audio_end_ms)):
                    self.output.heard()
                yield hypothesis
        if self.transcriber.error:
            self.output.fail(self.transcriber.error)

    async def silences(self) -> AsyncGenerator[Hypothesis, None]:
        """What to answer where nobody waits for words: the sound, each time that the person falls silent."""
        async with aclosing(self.transcriber.silences(self.item_id)) as silences:
            async for silence in silences:
                if silence.settled:
                    self.output.heard()
                yield silence

    def item(self, *, as_sound: bool) -> Item:
        """What was said, as an item of the conversation.

        Args:
            as_sound: The model that answers hears it itself; the words are only its transcript.
        """
        heard, sound = self.transcriber.newest, self.sound
        if sound and as_sound:
            return Item(self.item_id, "user", "", "audio", sound=sound, transcript=heard.text)
        return Item(self.item_id, "user", heard.text, "audio", language=heard.language, sound=sound)

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        return {"speech_end": self.speech_end, "committed": self.committed_at}


def _now() -> float:
    return asyncio.get_running_loop().time()
