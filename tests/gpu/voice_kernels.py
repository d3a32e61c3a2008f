"""The Talker with other kernels of its predictor, to be compared with the one that is used: which, `KIND` says."""

import os

from pipeline.models import registry
from pipeline.models.qwen3_tts.frame_step import Predicts
from pipeline.models.qwen3_tts.predictor.fused_predictor import FusedPredictor
from pipeline.models.qwen3_tts.state import TalkerState
from pipeline.models.qwen3_tts.talker import Talker
from tests.gpu.environment import KIND
from tests.gpu.predictor_sections import KINDS


class KindState(TalkerState):
    def quickest(self) -> Predicts:
        return FusedPredictor(self.talker.code_predictor, self.max_num_reqs, **KINDS[os.environ[KIND]])


class KindTalker(Talker):
    def get_model_state_cls(self) -> type[TalkerState]:
        return KindState


def register() -> None:
    """In place of `pipeline.models.registry.register`."""
    from vllm import ModelRegistry

    registry.register()
    ModelRegistry.register_model(registry.TALKER, "tests.gpu.voice_kernels:KindTalker")
