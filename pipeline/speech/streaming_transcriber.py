"""One utterance: sound goes in while the person speaks, hypotheses of what they say come out."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from pipeline.aio.signal import Signal
from pipeline.engines.base import Engine
from pipeline.errors import EngineError
from pipeline.media.spoken_sound import SpokenSound
from pipeline.models.qwen3_asr.languages import language_code
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.speech.confirmed_text import LullWords, goes_on
from pipeline.speech.pass_schedule import PassSchedule
from pipeline.speech.sentences.sentence_words import is_short
from pipeline.speech.speech_window import LONG_WINDOW_MS, Pcm, SpeechWindow, milliseconds, samples_in
from pipeline.speech.utterance_sound import UtteranceSound
from pipeline.types.chunks import AsrInput, DraftOutcome, Transcript
from pipeline.types.hypothesis import Hypothesis

log = logging.getLogger(__name__)

GIVEN_UP_MS = 60_000  # of sound that no pass could hear: more is not kept


class StreamingTranscriber:
    """The state of one utterance. It opens at the first sound, and `commit` closes it.

    The recogniser reads `windows()`: the sound so far, each time that it is ready for more and a pass is due
    (`PassSchedule`). `listen` takes what it makes of them. `hypotheses()` gives whoever asks the newest.

    What two passes have heard alike up to a lull stands, and its sound is not read again: long speech costs no more at
    its end than short speech.

    A pass that fails before the end is known was speculative: its sound is still here, and is part of the next one.

    Args:
        language: ISO 639-1 code; None: the recogniser finds out.
        partial_ms: New sound of running speech that is reason for a pass; None: none is.
        context: Words that may be said, such as names.
        sound: Keeps all of it for a model that hears it; None: there is none.
        transcribes: False: there is no recogniser, and nothing is kept for one.

    Attributes:
        error: Why nothing more is heard.
        drafts: What became of the draft of each window.
    """

    def __init__(
        self,
        language: str | None,
        partial_ms: int | None,
        context: str = "",
        sound: UtteranceSound | None = None,
        *,
        transcribes: bool = True,
    ) -> None:
        self._sound = sound
        self._spoken: SpokenSound | None = None
        self._window = SpeechWindow(keeps=transcribes)
        self._language = language
        self._context = escape_control_tokens(context.strip())
        self._passes = PassSchedule(self._window, partial_ms)
        self._kept_text = ""
        self._committed = False
        self._lull_words = LullWords()
        self._newest = Hypothesis("")
        self._keeps_to_words = True
        self._over = False
        self._certain = False
        self._changed = Signal()
        self.error: EngineError | None = None
        self.drafts: list[DraftOutcome | None] = []

    @property
    def duration_ms(self) -> int:
        """How much sound of it was kept: of a long pause only the beginning and the end are."""
        return milliseconds(self._window.before) + self._window.ms

    @property
    def speaking(self) -> bool:
        """The person speaks, as far as voice activity detection has told."""
        return self._window.speaking

    @property
    def certain(self) -> bool:
        """All that was said has been heard, and the turn is the caller's."""
        return self._over and self._certain

    @property
    def is_noise(self) -> bool:
        """Nothing more is to be heard in it for now, and no words were."""
        return self._passes.is_complete and not (self.speaking or self.error or self._newest.text)

    @property
    def newest(self) -> Hypothesis:
        """What the person seems to have said so far."""
        return self._newest

    def spoken(self, name: str) -> SpokenSound | None:
        """What the person has said as sound of that name; None: nothing, or nobody hears it."""
        upto = self._window.before + self._window.speech_end
        if self._sound and (self._spoken is None or self._spoken.samples != upto):
            self._spoken = self._sound.until(upto, name)
        return self._spoken

    def add(self, frame: Pcm, *, voiced: bool = True) -> None:
        """Take a frame: float32, 16 kHz mono. Of a long pause only the beginning and the end are kept."""
        if self.error and not self._sound:
            return
        if self._window.add(frame, voiced=voiced):
            if self._sound:
                self._sound.add(frame)
            self._changed.fire()

    def resume(self) -> None:
        """The person speaks (again), and has done so for some of the newest sound."""
        for frame in self._window.resume():
            self.add(frame)

    def pause(self, silent_ms: int = 0) -> None:
        """The person is silent, perhaps only to breathe, and has been for `silent_ms`."""
        self._window.pause(silent_ms)
        self._fall_silent()

    def commit(self) -> None:
        """The utterance is complete."""
        self._committed = True
        self._window.fall_silent()
        self._fall_silent()

    def settle(self) -> None:
        """The turn is certain: `hypotheses()` ends once all that was said has been heard."""
        self._certain = True
        self._changed.fire()

    async def windows(self) -> AsyncGenerator[AsrInput, None]:
        """Prompts for the recogniser; ends when everything up to the commit has been asked for.

        A recogniser may ask for the next while it is at work. It is given one only if that makes the work
        useless: what it will say of unfinished speech, when its end can be heard.
        """
        while True:
            await self._until_due()
            if not self._passes.is_due:
                return
            window = self._passes.begin(self._language, self._context, _now())
            self._changed.fire()
            yield window

    async def listen(
        self, recogniser: Engine[AsrInput, Transcript], request_id: str
    ) -> AsyncGenerator[Hypothesis, None]:
        """Have `recogniser` transcribe `windows()`, and pass on each new hypothesis.

        If it fails it is asked again when there is reason to. A failure of what was asked after the commit ends
        it, as does the second in a row with a minute of sound that could not be heard: it stands in `error`.
        """
        try:
            while self.error is None:
                asked_last = self._committed
                try:
                    async with (
                        aclosing(self.windows()) as windows,
                        aclosing(recogniser.generate(request_id, windows)) as transcripts,
                    ):
                        async for transcript in transcripts:
                            self._take(transcript)
                            yield self._newest
                    return
                except EngineError as error:
                    log.warning("a pass over an utterance failed", extra={"request": request_id})
                    too_much = self._passes.has_missed and self._window.ms >= GIVEN_UP_MS
                    self._miss(error, for_good=asked_last or too_much)
                await self._until_due()
        finally:
            self._over = True
            self._changed.fire()

    async def until_committed(self) -> None:
        """Returns when the utterance is complete."""
        while not self._committed:
            await self._changed.wait()

    async def hypotheses(self, early_ms: int = 0) -> AsyncGenerator[Hypothesis, None]:
        """The newest hypothesis each time it changes; ends when the turn is certain and all is heard.

        Nothing is settled or likely while nothing was said, so an utterance without words asks nothing; nor
        does one that the recogniser could not hear to its end.

        Args:
            early_ms: A hypothesis is likely if it lacks no more of the speech than that, and says again what the one
                before it said; 0: none is.
        """
        seen = Hypothesis("")
        while not self.certain:
            settled, likely = self._newest.settled and bool(self._newest.text), self._is_likely(early_ms)
            if (newest := replace(self._newest, settled=settled, likely=likely)) != seen:
                seen = newest
                yield seen
            else:
                await self._changed.wait()
        text = "" if self.error else self._newest.text
        yield Hypothesis(text, bool(text), self._newest.audio_end_ms, len(text), self._newest.language)

    async def silences(self, name: str) -> AsyncGenerator[Hypothesis, None]:
        """What was said as sound, settled each time that the person falls silent; ends when the turn is certain.

        No words are waited for. While the person speaks it is not known what they ask.

        Args:
            name: Of the sound.
        """
        seen = Hypothesis("")
        while not (self._committed and self._certain):
            if (newest := self._as_sound(name)) != seen:
                seen = newest
                yield seen
            else:
                await self._changed.wait()
        yield self._as_sound(name)

    def _as_sound(self, name: str) -> Hypothesis:
        sound = None if self.speaking else self.spoken(name)
        return Hypothesis("", settled=sound is not None, sound=sound)

    def _is_likely(self, early_ms: int) -> bool:
        """The newest hypothesis has words and has not changed those before it, lacks at most so much of what was said,
        and all of that is being read."""
        if not (early_ms and self._newest.text and self._keeps_to_words and self._passes.is_under_way):
            return False
        if self.speaking or self._passes.has_unread:
            return False
        speech_ms = milliseconds(self._window.before) + milliseconds(self._window.speech_end)
        return speech_ms - self._newest.audio_end_ms <= early_ms

    async def _until_due(self) -> None:
        """Until a window is due, or none will be any more."""
        while not (self._passes.is_due or self.error or (self._committed and not self._passes.has_unread)):
            await self._changed.wait()

    def _fall_silent(self) -> None:
        """What was heard in the lull before is settled by this; what could not be heard is asked for again."""
        self._passes.retry()
        if not (self._passes.has_unread or self._passes.is_under_way):
            self._newest = replace(self._newest, settled=True)
        self._changed.fire()

    def _miss(self, error: EngineError, *, for_good: bool) -> None:
        """A pass has failed. The next begins when there is more to hear, or at once if that was all."""
        self._passes.miss(at_once=self._committed)
        if for_good:
            self.error = error
            self._window.give_up()
        self._changed.fire()

    def _take(self, transcript: Transcript) -> None:
        is_newest = self._passes.end(transcript, _now())
        self.drafts.append(transcript.draft)
        text = f"{self._kept_text} {transcript.text}".strip()
        self._keeps_to_words = goes_on(self._newest.text, text)
        settled = is_newest and not (self.speaking or self._passes.has_unread)
        end_ms = milliseconds(self._window.before) + transcript.audio_end_ms
        stable = len(text) - len(transcript.text) + transcript.stable_chars if transcript.stable_chars else 0
        language = language_code(transcript.language) or self._newest.language
        stable = max(stable, len(self._kept_text))
        sentence_end = None if is_short(transcript.text) else transcript.sentence_end  # no mark is written behind those
        self._newest = Hypothesis(text, settled, end_ms, stable, language, sentence_end=sentence_end)
        if transcript.settles and transcript.audio_end_ms >= LONG_WINDOW_MS:
            self._start_anew(transcript.text, transcript.audio_end_ms)
        elif is_newest and (stands := self._lull_words.confirmed(transcript)):
            self._start_anew(stands.text, stands.audio_end_ms)
        else:
            self._lull_words = self._lull_words.after(transcript)
        self._changed.fire()

    def _start_anew(self, text: str, end_ms: int) -> None:
        """Keep the text of the window up to there: the next window begins behind it."""
        place = samples_in(end_ms)
        self._window.begin_at(place)
        self._passes.begin_at(place)
        self._kept_text = f"{self._kept_text} {text}".strip()
        self._lull_words = LullWords()


def _now() -> float:
    return asyncio.get_running_loop().time()
