"""This module holds the numbers of turn taking, one table per kind of caller."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from livekit.agents import TurnHandlingOptions, vad

from agent.turns.end_evidence import EndEvidence
from agent.turns.end_of_turn import EndOfTurnDetector, Judged, PipelineWitnesses
from agent.turns.near_vad import Nearness, NearVad

SURE = 0.1  # above the least prediction of a turn that is over
# Below that probability, by the recogniser, that a sentence ends behind the words.
DOUBTED, UNLIKELY, BROKEN_OFF = 0.65, 0.6, 0.4
FROM_PROBABILITY = (0.45, 0.35, 0.25, 0.05)  # of an end by all witnesses, on: each of the delays but the longest

CallerKind = Literal["browser", "console", "phone"]


@dataclass(frozen=True, slots=True)
class Turns:
    """Says how turns are taken with one kind of caller.

    Attributes:
        frame_ms: Sound that is handed on at once; LiveKit's own is 50, for which the rest of a word waits.
        onset_s: Speech needed to count as speech.
        silence_s: Silence that makes a pause. LiveKit's end-of-turn model needs at least 0.2 s.
        early_end_s: From the last word to the turn's end if the model is sure, and the words end a sentence. Where the
            pipeline has voted, this and the next five go by how likely an end is to all witnesses together.
        end_s: The same if the model takes it to be over, and the words do not say otherwise.
        words_end_s: The same if only the words do.
        doubted_end_s: The same if more than two words do, and the pipeline has voted: recognisers write marks early. At
            least so much if more than two have no mark then, or the recogniser gives a sentence's end less than
            `DOUBTED`, or if the words are such as end no sentence; and at most if they dictate a number.
        sound_end_s: The same if only the model does; and at least, if a number is being dictated.
        longest_end_s: The same if neither does.
        unlikely_end_s: At least so much if the recogniser gives a sentence's end less than `UNLIKELY`.
        hold_end_s: The same if they have asked to wait, whatever it sounds like; and at least, if the recogniser gives
            a sentence's end less than `BROKEN_OFF`.
        interrupt_s: Speech over the agent that pauses it.
        go_on_s: How long after a pause a paused agent goes on if no words have come yet.
        resume_s: The same whatever has come, if `PipelineStt` has not decided; LiveKit counts it.
        label_s: How long after a sound `PipelineStt` waits for its label.
        late_label_s: How long it waits after a sound over the agent, which goes on meanwhile: a late question is better
            than none.
        longest_turn_s: Speech without a pause that is answered all the same (a crowd, a television).
        camera: Pictures are sent to the pipeline.
    """

    frame_ms: int = 20
    onset_s: float = 0.05
    silence_s: float = 0.25
    early_end_s: float = 0.35
    end_s: float = 0.5
    words_end_s: float = 0.8
    doubted_end_s: float = 1.4
    sound_end_s: float = 1.0
    longest_end_s: float = 1.8
    unlikely_end_s: float = 2.2
    hold_end_s: float = 3.0
    interrupt_s: float = 0.16
    go_on_s: float = 0.3
    resume_s: float = 2.0
    label_s: float = 4.0
    late_label_s: float = 15.0
    longest_turn_s: float = 30.0
    camera: bool = False

    def delay_s(self, evidence: EndEvidence) -> float:
        """Return how long after the last word a turn ends, by what the witnesses say."""
        likely_s = self._likely_s(evidence)
        match evidence.unfinished:
            case "hold":
                return self.hold_end_s
            case "words":
                return max(self.doubted_end_s, self._least_s(evidence), likely_s)
            case "number":
                return min(max(self.sound_end_s, likely_s), self.doubted_end_s)
            case None:
                return max(self._least_s(evidence), likely_s)

    def _least_s(self, evidence: EndEvidence) -> float:
        """The least by how the recogniser writes the end, where the pipeline has voted."""
        if evidence.vote is None:
            return 0.0
        unmarked = evidence.words_over is False and not evidence.words_short
        sentence_end = 1.0 if evidence.sentence_end is None else evidence.sentence_end
        if sentence_end < BROKEN_OFF:
            return self.hold_end_s
        if sentence_end < UNLIKELY:
            return self.unlikely_end_s
        return self.doubted_end_s if unmarked or sentence_end < DOUBTED else 0.0

    def _likely_s(self, evidence: EndEvidence) -> float:
        probability, above, words_over = evidence.probability, evidence.above, evidence.words_over
        if probability is not None:
            delays = (self.early_end_s, self.end_s, self.words_end_s, self.sound_end_s)
            waits = zip(FROM_PROBABILITY, delays, strict=True)
            delay_s = next((delay for least, delay in waits if probability >= least), self.longest_end_s)
            if not words_over:
                return delay_s
            return min(
                delay_s, self.words_end_s if evidence.words_short else self.doubted_end_s
            )  # short answers are doubted
        if above < 0:
            return self.words_end_s if words_over else self.longest_end_s
        if words_over and above >= SURE:
            return self.early_end_s
        return self.sound_end_s if words_over is False else self.end_s


TURNS: dict[CallerKind, Turns] = {
    "browser": Turns(camera=True),
    "console": Turns(),
    # Nobody sees the other: people pause longer, and the line adds a fifth of a second both ways.
    "phone": Turns(
        silence_s=0.3,
        early_end_s=0.45,
        end_s=0.6,
        words_end_s=1.0,
        doubted_end_s=1.6,
        sound_end_s=1.2,
        longest_end_s=2.2,
        unlikely_end_s=2.6,
        hold_end_s=3.4,
    ),
}


def voice_activity(turns: Turns, nearness: Nearness) -> NearVad:
    """Return LiveKit's voice activity detection, Silero from a wheel, for what is near."""
    return NearVad(nearness, min_speech_duration=turns.onset_s, min_silence_duration=turns.silence_s)


@dataclass(frozen=True, slots=True)
class TurnModels:
    """Makes the models that listen to the sound of a call: LiveKit's, which compute in threads, unless told.

    Attributes:
        voice_activity: Whether somebody speaks.
        end_of_turn: Whether it sounds as if they have finished; joined with what the pipeline heard of it.
    """

    voice_activity: Callable[[Turns, Nearness], vad.VAD] = voice_activity
    end_of_turn: Callable[[Turns, PipelineWitnesses, Judged], EndOfTurnDetector] = EndOfTurnDetector


TURN_MODELS = TurnModels()


def turn_handling(
    turns: Turns, pipeline: PipelineWitnesses, judged: Judged, models: TurnModels = TURN_MODELS
) -> TurnHandlingOptions:
    """Return how LiveKit takes turns, on this machine: version and mode are named, or it dials a cloud service."""
    return TurnHandlingOptions(
        turn_detection=models.end_of_turn(turns, pipeline, judged),
        endpointing={"mode": "fixed", "min_delay": turns.early_end_s, "max_delay": turns.longest_end_s},
        interruption={
            "enabled": True,
            "mode": "vad",
            "min_duration": turns.interrupt_s,
            "min_words": 0,
            "resume_false_interruption": True,
            "false_interruption_timeout": turns.resume_s,
            "discard_audio_if_uninterruptible": False,  # what is said over such an answer is the next question
        },
        preemptive_generation={"enabled": False},
    )
