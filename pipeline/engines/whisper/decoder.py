"""One pass of Whisper over one window of sound: blocking, greedy, and silent about what is no speech."""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.segmentation import parts

Pcm = NDArray[np.float32]

FRAMES_PER_S = 100
WHOLE_FRAMES = 3000  # the 30 s that Whisper was trained on
# Computing grows with the frames, and most windows are short. Measured with Whisper base: with 10 s in all, 4 s of
# them silence behind the words, it is as good as with 30 s and four times as fast; with 6 s it repeats itself. The
# silence is sound, as in training: with zeros for its features the last words were lost of 42 of 288 telephone calls.
FEWEST_FRAMES, SILENT_FRAMES = 1000, 400
LONGEST_PART_S = 25
# Whisper loses count of who says one word ten times and more, with AVX2 sooner than with AVX-512: another kernel rounds
# otherwise. In pieces of a few words, each with a pause around it, it counts right to one in ten with either.
LONGEST_PIECE_S, SHORTEST_PIECE_S = 3, 1
PAUSE = 3 * SPEECH_RATE // 10
# A pass that writes more repeats itself. English has 6 tokens a second at the most, a syllable of Tamil three of them.
TOKENS_PER_S, TOKENS_AT_LEAST, MOST_TOKENS = 16, 24, 220
# Measured with Whisper base: 0.84 and more of silence and of noise, 0.56 at the most of words 34 dB too quiet in noise.
# Of an alphabet that was spelled fast it says 0.79 on one processor, and has hardly a doubt about each of its letters.
NOBODY = 0.75  # probability that nobody speaks, from which on words are not believed unless there is no doubt of them
NO_DOUBT = -0.15  # mean log probability of words that are believed though nobody may speak
SURE = -0.3  # mean log probability of a pass that is believed though it says the same again and again
LIKELY = -1.7  # mean log probability of words that are believed
# Of voices that it does not know it is sure that they speak, and of no word. Of 102 noises over an answer, in which it
# writes words of music and babble, it said 0.36 and more.
SOMEBODY, GUESSED = 0.3, -2.1  # probability below which somebody does speak, and what is believed then
DOUBTFUL = -0.9  # mean log probability of words that are not believed if it is likelier than not that nobody speaks
ENDS = (".", "?", "!", "。", "؟")  # a sentence
APART = (" ?", " !")  # the same, as French writes them
UNTOLD = frozenset(("as", "bn", "hi", "mr", "ne", "pa", "sa"))  # languages whose full stop is several tokens
SAME = 4  # times that a tone says one word, on some processors: of these DOUBTFUL_SAME is enough
DOUBTFUL_SAME = -0.5


class PassDropped(Exception):
    """Nobody waits any more for what is computed."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class PassOptions:
    """Holds what is asked of a pass besides its sound; attributes as the arguments of `WhisperDecoder.hear`."""

    language: str | None
    context: str
    wanted: Callable[[], bool]

    def check(self) -> None:
        """CTranslate2 cannot be interrupted: this stands between two of its computations.

        Raises:
            PassDropped: Nobody wants the next.
        """
        if not self.wanted():
            raise PassDropped


@dataclass(frozen=True, slots=True)
class WhisperPass:
    """What one pass made of the sound.

    Attributes:
        logprob: Mean natural log probability of a token.
        no_speech: Probability that nobody speaks.
        ended: It stopped of its own accord.
        language: ISO 639-1 code of what it was read as.
        sentence_end: Probability of a mark behind its last word that ends a sentence; None: it has none.
    """

    text: str
    logprob: float
    no_speech: float
    ended: bool
    language: str = ""
    sentence_end: float | None = None

    @property
    def is_speech(self) -> bool:
        doubtful = self.no_speech > 0.5 and self.logprob < (DOUBTFUL_SAME if self._is_one_word else DOUBTFUL)
        somebody = self.no_speech < NOBODY or self.logprob > NO_DOUBT
        likely = self.logprob > (GUESSED if self.no_speech < SOMEBODY else LIKELY)
        return bool(self.text) and likely and somebody and not doubtful

    @property
    def repeats(self) -> bool:
        """The text runs in circles, as Whisper's does when it has lost its place."""
        raw = self.text.encode()
        return not self.ended or (len(raw) > 40 and len(raw) / len(zlib.compress(raw)) > 2.4)

    @property
    def _is_one_word(self) -> bool:
        """It is one word, again and again."""
        words = _words(self.text)
        return len(words) >= SAME and len(set(words)) == 1

    @property
    def is_certain(self) -> bool:
        """People do repeat themselves: who hardly doubts it, and found the end, has heard so."""
        return self.ended and self.logprob > SURE


@dataclass(frozen=True, slots=True)
class HeardWords:
    """Holds what was said, and the ISO 639-1 code of its language; both are empty if there were no words.

    Attributes:
        sentence_end: Probability that a sentence ends behind the last word; None: nothing tells.
    """

    text: str
    language: str
    sentence_end: float | None = None


class WhisperDecoder:
    """A loaded model. One pass at a time.

    Attributes:
        languages: ISO 639-1 codes that it knows.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self._model, self._tokenizer_of = _load(folder, threads)
        self.languages: frozenset[str] = frozenset(self._model.supported_languages)
        self._marks = mark_ids(self._tokenizer_of("en").encode)  # alike in all languages

    def hear(
        self, pcm: Pcm, language: str | None, context: str = "", wanted: Callable[[], bool] = _always
    ) -> HeardWords:
        """The words in `pcm` (float32, 16 kHz mono), and their language.

        Args:
            language: ISO 639-1 code; None: detect it.
            context: Words that may be said. Its last 223 tokens count.
            wanted: Asked before each computation: before the sound is encoded, and before words are written.

        Raises:
            PassDropped: It is not wanted any more.
        """
        asked = PassOptions(language, context, wanted)
        heard = [self._read_part(part, asked) for part in parts(pcm, LONGEST_PART_S)]
        words = [each for each in heard if each.text]
        if not words:
            return HeardWords("", "")
        return HeardWords(" ".join(each.text for each in words), words[0].language, words[-1].sentence_end)

    def _read_part(self, pcm: Pcm, asked: PassOptions) -> HeardWords:
        read, frames = partial(self._pass, pcm, asked=asked), _frames(pcm)
        heard = read(frames)
        believed = not heard.repeats
        if not believed and heard.no_speech < 0.7 and frames < WHOLE_FRAMES:
            heard = read(WHOLE_FRAMES)
            believed = heard.is_certain or not heard.repeats
        text, sentence_end = (heard.text, heard.sentence_end) if heard.is_speech and believed else ("", None)
        if heard.is_speech and not believed:
            text = self._read_pieces(pcm, asked, LONGEST_PIECE_S)
        if is_echo(text, asked.context) and not self._read_part(pcm, replace(asked, context="")).text:
            text = ""
        return HeardWords(text, heard.language, sentence_end if text else None)

    def _read_pieces(self, pcm: Pcm, asked: PassOptions, longest_s: int) -> str:
        """The words of each piece, and nothing of one that makes Whisper run in circles however short it is."""
        texts = []
        for part in parts(pcm, longest_s):
            piece = np.pad(part, PAUSE)
            heard = self._pass(piece, _frames(piece), asked=asked)
            if not heard.repeats:
                texts.append(heard.text if heard.is_speech else "")
            elif longest_s > SHORTEST_PIECE_S:
                texts.append(self._read_pieces(part, asked, longest_s - 1))
        return " ".join(filter(None, texts))

    def _pass(self, pcm: Pcm, frames: int, *, asked: PassOptions) -> WhisperPass:
        whisper, language = self._model, asked.language
        asked.check()
        encoded = whisper.encode(whisper.feature_extractor(_fitted(pcm, frames), padding=0)[:, :frames])
        if language is None:
            language = whisper.model.detect_language(encoded)[0][0][0].strip("<|>") if len(self.languages) > 1 else "en"
        asked.check()
        tokenizer = self._tokenizer_of(language)
        before = tokenizer.encode(f" {asked.context}") if asked.context else []
        prompt = whisper.get_prompt(tokenizer, before, without_timestamps=True)
        limit = min(MOST_TOKENS, TOKENS_AT_LEAST + TOKENS_PER_S * len(pcm) // SPEECH_RATE)
        (result,) = whisper.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=max(2 * limit, len(prompt) + limit),  # of which CTranslate2 lets at most half be written
            return_scores=True,
            return_no_speech_prob=True,
            return_logits_vocab=True,
        )
        tokens = result.sequences_ids[0]
        logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
        text = tokenizer.decode(tokens).strip()
        ended = len(tokens) < limit
        tells = ended and bool(text) and language not in UNTOLD and (tokens[-1] in self._marks or not hides_mark(text))
        sentence_end = ends_sentence(tokens, result.logits[0], self._marks) if tells else None
        return WhisperPass(text, logprob, result.no_speech_prob, ended, language, sentence_end)


def mark_ids(encode: Callable[[str], Sequence[int]]) -> list[int]:
    """Ids of the marks that end a sentence, but for those that are several tokens."""
    return [ids[0] for ids in map(encode, (*ENDS, *APART)) if len(ids) == 1]


def ends_sentence(tokens: Sequence[int], logits: Sequence[Any], marks: Sequence[int]) -> float:
    """Probability that a mark which ends a sentence stands behind the last word.

    Args:
        tokens: What was written.
        logits: Of each step, the last of which has ended it; shape [1, vocabulary] or [vocabulary].
        marks: Ids of such marks.
    """
    behind = logits[len(tokens) - (tokens[-1] in marks)]
    weights = np.asarray(behind, np.float64).ravel()
    likely = np.exp(weights - weights.max())
    return float(likely[list(marks)].sum() / likely.sum())


def hides_mark(text: str) -> bool:
    """A mark that ends a sentence is a part of its last token, such as one that ends a quotation."""
    return not text.endswith("..") and any(mark in text[-2:] for mark in ENDS)


def is_echo(text: str, context: str) -> bool:
    """The text has no words but those of the context, which Whisper writes of noise, too."""
    return bool(text) and set(_words(text)) <= set(_words(context))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _frames(pcm: Pcm) -> int:
    """How many are encoded: those of the sound, and silence behind it."""
    return min(WHOLE_FRAMES, max(FEWEST_FRAMES, len(pcm) * FRAMES_PER_S // SPEECH_RATE + SILENT_FRAMES))


def _fitted(pcm: Pcm, frames: int) -> Pcm:
    """The sound, with silence behind it: as long as so many frames."""
    samples = frames * SPEECH_RATE // FRAMES_PER_S
    return np.pad(pcm[:samples], (0, max(0, samples - len(pcm))))


def _load(folder: Path, threads: int) -> tuple[Any, Any]:
    try:
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)
    except Exception as error:  # of CTranslate2, tokenizers or the file system: they have no common ancestor
        raise ConfigError(str(folder), [f"the model cannot be loaded: {error}"]) from error

    def tokenizer_of(language: str) -> Any:
        return Tokenizer(model.hf_tokenizer, model.model.is_multilingual, task="transcribe", language=language)

    return model, tokenizer_of
