"""What the engine of image recognition and its process say to each other."""

from pipeline.engines.child_messages import BusyCount, CountRequest, Numbered, RequestDropped, SettingsRefused
from pipeline.types.observation import Observation


class RecognizerSettings(Numbered, frozen=True, tag=True):
    """The first thing that the process is told; answered with `RecognizerReady` or `SettingsRefused`.

    Attributes:
        detector, classifier: Paths of their files.
        text_finder, text_reader: Likewise; empty: nothing is read.
        threads: On which each model computes.
        niceness: Added to that of the process, so that whatever makes sound comes first.
    """

    detector: str
    classifier: str
    text_finder: str
    text_reader: str
    threads: int
    niceness: int


class LookRequest(Numbered, frozen=True, tag=True):
    """A picture; answered with `PictureSeen` or `LookFailed`, unless it is dropped.

    Attributes:
        look: Names it.
        pixels: uint8 RGB, `height` rows of `width`.
        read: All that is written there is wanted.
        owner: Whose picture it is; empty: nobody's.
    """

    look: int
    width: int
    height: int
    pixels: bytes
    read: bool
    owner: str


class DropLook(Numbered, frozen=True, tag=True):
    """That picture is not wanted any more; answered with `RequestDropped` when nothing is computed for it."""

    look: int


class RecognizerReady(Numbered, frozen=True, tag=True):
    """Answers `RecognizerSettings`: the models are loaded."""


class PictureSeen(Numbered, frozen=True, tag=True):
    """Answers `LookRequest`."""

    observation: Observation


class LookFailed(Numbered, frozen=True, tag=True):
    """Answers `LookRequest`: the models could not do it; the next picture may be better."""

    reason: str


Question = RecognizerSettings | LookRequest | DropLook | CountRequest
Answer = RecognizerReady | SettingsRefused | PictureSeen | LookFailed | RequestDropped | BusyCount
