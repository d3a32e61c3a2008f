"""What a person seems to have said so far."""

from dataclasses import dataclass, field

from pipeline.media.spoken_sound import SpokenSound


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What the person seems to have said so far.

    Attributes:
        text: All of it, from the utterance's beginning.
        settled: The person is silent, and has been since what this was heard of.
        audio_end_ms: How much of the utterance's sound it covers.
        stable_chars: How many leading characters will not change any more.
        language: ISO 639-1 code of what they speak; empty: nobody knows.
        likely: The person is silent, and a pass over all that they said is under way: most likely it reads this again.
        sentence_end: Probability that a sentence ends behind the last word, by the recogniser; None: it does not tell.
            Not compared: the same words are the same hypothesis.
        sound: What they have said, where somebody hears it, once they are silent; None: nothing yet.
    """

    text: str
    settled: bool = False
    audio_end_ms: int = 0
    stable_chars: int = 0
    language: str = ""
    likely: bool = False
    sentence_end: float | None = field(default=None, compare=False)
    sound: SpokenSound | None = None
