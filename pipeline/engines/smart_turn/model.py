"""End of turn: the Smart Turn v3.2 model, run with onnxruntime on a thread of its own."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.blocking_worker import BlockingWorker
from pipeline.errors import ConfigError, EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.qwen3_asr.mel import LogMel

NAME, FILE = "smart-turn-v3.2", "model.onnx"
WINDOW = 8 * SPEECH_RATE  # samples: what the model was trained on
BANDS = 80
VARIANCE_FLOOR = 1e-7

Pcm = NDArray[np.float32]


class SmartTurnModel:
    """The model's weights and its thread, shared by all callers. One question is computed at a time."""

    def __init__(self, folder: Path) -> None:
        """Loads the network into onnxruntime, which computes on one thread.

        Raises:
            ConfigError: The file is not there, or onnxruntime cannot load it.
        """
        import onnxruntime

        path = folder / FILE
        if not path.is_file():
            raise ConfigError(str(path), ["there is no such file (infra/up fetches it)"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own, without a common ancestor
            raise ConfigError(str(path), [f"no usable model: {error}"]) from error
        self._session: Any = session
        self._worker = BlockingWorker("smart-turn")

    async def judge(self, pcm: Pcm) -> float:
        """Probability that who has spoken so far has finished their turn.

        Args:
            pcm: float32, 16 kHz mono, with some 0.2 s of the silence behind the last word. Its last 8 s count.

        Raises:
            EngineError: onnxruntime has failed.
        """
        return await self._worker.run(partial(self.probability, pcm))

    async def aclose(self) -> None:
        """End the thread, when all callers have gone; returns when it has ended."""
        await self._worker.aclose()

    def probability(self, pcm: Pcm) -> float:
        """The same, computed at once in the thread that asks."""
        try:
            (probabilities,) = self._session.run(None, {"input_features": features(pcm)[None]})
        except Exception as error:  # onnxruntime's own, without a common ancestor
            raise EngineError("smart-turn", str(error)) from error
        return float(probabilities[0, 0])


def features(pcm: Pcm) -> Pcm:
    """The log-mel spectrum of the last 8 s, behind silence if it is shorter; shape [80, 800].

    The sound is brought to mean 0 and variance 1, its silence included, as `WhisperFeatureExtractor` of transformers
    does with `do_normalize`, with which the model was trained.
    """
    heard = pcm[-WINDOW:]
    window = np.pad(heard, (WINDOW - len(heard), 0)).astype(np.float32)
    normal = (window - window.mean()) / np.sqrt(window.var() + np.float32(VARIANCE_FLOOR))
    return np.ascontiguousarray(LogMel(BANDS)(normal).T, np.float32)
