"""Scripted engines of the embedded pipeline, with eyes, behind the real wire."""

import numpy as np

from pipeline.context.window import WindowLimits
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, hears, speaks
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.observation import Observation, RecognitionPrompt
from tests.scenario import Line

_, SEES, WRITES, SPEAKS = EMBEDDED_PIPELINE.stages
DARKEST = 16  # of 255: a picture whose pixels are all darker is black


class Recognising(Line):
    """Engines that recognise what a test says; a black picture is blank.

    Args:
        eyes: An engine that looks in place of the scripted one.

    Attributes:
        seen: What the pictures show.
        look_s: How long it takes to look at one.
    """

    def __init__(
        self,
        seen: Observation | None = None,
        look_s: float = 0.05,
        eyes: Engine[RecognitionPrompt, Observation] | None = None,
    ) -> None:
        super().__init__(asr=hears("What do you see?"))
        self.seen, self.look_s = seen or Observation(), look_s
        self.eyes: FakeEngine[RecognitionPrompt, Observation] = FakeEngine(self._look)
        self._looks: Engine[RecognitionPrompt, Observation] = eyes or self.eyes
        self.tts = speaks()

    @property
    def told(self) -> list[str]:
        """The last message of each prompt that was to be answered, with what it says of what is seen."""
        return [prompt.messages[-1].text for prompt in self.aura.prompts if prompt.max_tokens]

    def stages(self) -> PipelineStages:
        engines = ((SEES, self._looks), (WRITES, self.aura), (SPEAKS, self.tts))
        chain = [Stage(spec, engine, spec.custom_process_input_func, 8) for spec, engine in engines]  # type: ignore[arg-type]
        return PipelineStages(self.asr, tuple(chain), limits=WindowLimits(keep_s=2, slack_s=2))

    def _look(self, prompt: RecognitionPrompt) -> list[tuple[float, Observation]]:
        return [
            (self.look_s, Observation(is_blank=True) if max(map(np.max, picture.frames)) < DARKEST else self.seen)
            for picture in prompt.pictures
        ]
