"""Remembers how each caller's picture last looked, so that what is written in it is read once while it stands still."""

from collections import OrderedDict
from dataclasses import dataclass

from pipeline.engines.image_recognition.thumbnail import Thumbnail, are_alike

MOST_SCENES = 64


@dataclass(frozen=True, slots=True)
class Scene:
    """What was last seen of somebody's pictures.

    Attributes:
        last: The newest one.
        read: The one whose text is known; None: none was read.
        text: What is written there.
    """

    last: Thumbnail
    read: Thumbnail | None = None
    text: str = ""

    def is_read(self, small: Thumbnail) -> bool:
        """True if it shows what was read, so that the text holds."""
        return self.read is not None and are_alike(self.read, small)


class SceneMemory:
    """The newest scenes, by whose they are; what belongs to nobody is not remembered."""

    def __init__(self) -> None:
        self._scenes: OrderedDict[str, Scene] = OrderedDict()

    def __len__(self) -> int:
        return len(self._scenes)

    def of(self, owner: str) -> Scene | None:
        return self._scenes.get(owner)

    def keep(self, owner: str, scene: Scene) -> None:
        if owner:
            self._scenes[owner] = scene
            self._scenes.move_to_end(owner)
            if len(self._scenes) > MOST_SCENES:
                self._scenes.popitem(last=False)
