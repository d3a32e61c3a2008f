"""Recognises one picture in small steps, between which others may be told to stop."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.image_recognition.scene_memory import Scene, SceneMemory
from pipeline.engines.image_recognition.text.text_reader import FULL, LIGHT, ReadingEffort, TextLine, as_text
from pipeline.engines.image_recognition.things.boxes import Box, Detection, cropped
from pipeline.engines.image_recognition.things.fusion import fused, needs_no_judge
from pipeline.engines.image_recognition.things.judgement import Judgement, Vocabulary
from pipeline.engines.image_recognition.thumbnail import are_alike, brightened, is_blank, thumbnail
from pipeline.media.video_chunk import Pixels
from pipeline.types.observation import Observation

MOST_PLACES = 2  # that the classifier is shown, beside the whole: the largest ones
MARGIN = 0.1  # round a place
WHOLE = 0.8  # of the picture: a place so large is the whole
WIDE = 1.2  # times as long as the other side: the middle of such a picture is looked at, too


class FindsThings(Protocol):
    """The detector."""

    def found(self, pixels: Pixels) -> Sequence[Detection]: ...


class NamesThings(Protocol):
    """The classifier."""

    def probabilities(self, pixels: Pixels) -> NDArray[np.float32]: ...


class ReadsText(Protocol):
    """The reader of text."""

    def lines(self, pixels: Pixels, effort: ReadingEffort) -> Iterator[TextLine | None]: ...


class PictureRecognizer:
    """Joins the models.

    Args:
        labels: The classifier's.
        reader: None: nothing is read.
    """

    def __init__(
        self, detector: FindsThings, classifier: NamesThings, labels: Sequence[str], reader: ReadsText | None
    ) -> None:
        self._detector = detector
        self._classifier = classifier
        self._vocabulary = Vocabulary(labels)
        self._reader = reader
        self._scenes = SceneMemory()

    def steps(self, pixels: Pixels, read: bool, owner: str) -> Iterator[Observation | None]:
        """Yields None after each step but the last one, which yields what is in the picture.

        Args:
            pixels: uint8 RGB, [height, width, 3].
            read: All that is written there is wanted; if not, it is read once, and only while the picture stands still.
            owner: Whose picture it is; empty: of nobody whose last one is known.
        """
        small = thumbnail(pixels)
        before = self._scenes.of(owner)
        if is_blank(small):
            self._scenes.keep(owner, Scene(small))
            yield Observation(is_blank=True)
            return
        pixels, seen = brightened(pixels, small), Observation()
        for judged in self._things(pixels):
            if judged:
                seen = judged
            yield None
        scene = replace(before, last=small) if before else Scene(small)
        if effort := _effort(before, scene, read):
            lines = []
            for line in self._reader.lines(pixels, effort) if self._reader else ():
                lines += [line] if line else []
                yield None
            scene = Scene(small, small, as_text(lines))
        self._scenes.keep(owner, scene)
        yield replace(seen, text=scene.text if scene.is_read(small) else "")

    def _things(self, pixels: Pixels) -> Iterator[Observation | None]:
        height, width = pixels.shape[:2]
        detections = self._detector.found(pixels)
        yield None
        whole = [self._judged(pixels)]
        yield None
        if max(height, width) > WIDE * min(height, width):
            whole.append(self._judged(cropped(pixels, _middle(width, height))))
            yield None
        disputable = (each for each in detections if not needs_no_judge(each))
        shown = sorted(disputable, key=lambda each: -each.box.area)[:MOST_PLACES]
        found: list[tuple[Detection, Judgement | None]] = []
        for detection in detections:
            judgement = None
            if detection in shown and detection.box.area >= WHOLE * width * height:
                judgement = whole[0]
            elif detection in shown:
                judgement = self._judged(cropped(pixels, detection.box.squared(MARGIN, width, height)))
                yield None
            found.append((detection, judgement))
        yield Observation(fused(found, whole, (width, height)))

    def _judged(self, pixels: Pixels) -> Judgement:
        return self._vocabulary.judged(self._classifier.probabilities(pixels))


def _effort(before: Scene | None, scene: Scene, read: bool) -> ReadingEffort | None:
    """How closely text is to be looked for: not at all while things move, nor where it is known."""
    if read:
        return FULL
    is_still = before is None or are_alike(before.last, scene.last)
    return LIGHT if is_still and not scene.is_read(scene.last) else None


def _middle(width: int, height: int) -> Box:
    side = min(width, height)
    return Box((width - side) / 2, (height - side) / 2, (width + side) / 2, (height + side) / 2)
