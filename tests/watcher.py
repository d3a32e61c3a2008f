"""Scripted engines that look at a camera: a test says what is worth a remark, and when."""

from pipeline.engines.fake import FakeEngine, hears, speaks, words_of
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import AudioChunk, Clause, MultimodalPrompt, TextChunk
from tests.room import LIMITS, SEES, is_asked, spelt, to_scene
from tests.scenario import TTS, Line, to_sentences

QUESTION, ANSWER = "Wait, what is that?", "That is a cup."


class Watcher(Line):
    """Engines that look at a camera.

    Attributes:
        remarks: What is worth saying unasked; each is offered once, when it is looked at next.
    """

    def __init__(self) -> None:
        super().__init__(asr=hears(QUESTION))
        self.remarks: list[str] = []
        self.writer: FakeEngine[MultimodalPrompt, TextChunk] = FakeEngine(self._script)
        self.voice: FakeEngine[Clause, AudioChunk] = speaks()

    @property
    def busy(self) -> int:
        return len(self.writer.running) + len(self.voice.running)

    def remembered(self) -> str:
        """The conversation as the newest question found it."""
        return spelt([scene for scene in self.writer.prompts if is_asked(scene)][-1])

    def stages(self) -> PipelineStages:
        chain = (Stage(SEES, self.writer, to_scene), Stage(TTS, self.voice, to_sentences))
        return PipelineStages(self.asr, chain, limits=LIMITS)

    def _script(self, scene: MultimodalPrompt) -> list[tuple[float, TextChunk]]:
        if not scene.max_tokens:
            return [(0.02, TextChunk(""))]
        remark = "" if is_asked(scene) or not self.remarks else self.remarks.pop(0)
        answer = ANSWER if is_asked(scene) else remark
        return [(0.02, TextChunk(word)) for word in words_of(answer)] or [(0.02, TextChunk(""))]
