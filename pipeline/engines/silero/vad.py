"""Voice activity detection: the Silero model, run with onnxruntime."""

import asyncio
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError
from pipeline.types.chunks import SPEECH_RATE

FRAME = 512  # samples of one probability: 32 ms
CONTEXT = 64  # samples of the frame before, which the model wants in front of each frame
_FRAMES_AT_ONCE = 16  # a few milliseconds of computing, then others have their turn


class SileroVad:
    """Follows one caller's sound."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._state = np.zeros((2, 1, 128), np.float32)
        self._heard = np.zeros(CONTEXT, np.float32)  # the context, and what makes no whole frame yet

    async def feed(self, pcm: NDArray[np.float32]) -> list[float]:
        """Speech probabilities of the frames that `pcm` (float32, 16 kHz mono) completes."""
        self._heard = np.concatenate([self._heard, pcm])
        probabilities: list[float] = []
        while len(self._heard) >= CONTEXT + FRAME:
            probabilities.append(self._next())
            if len(probabilities) % _FRAMES_AT_ONCE == 0:
                await asyncio.sleep(0)
        return probabilities

    def _next(self) -> float:
        window, self._heard = self._heard[: CONTEXT + FRAME], self._heard[FRAME:]
        inputs = {"input": window[None, :], "state": self._state, "sr": np.array(SPEECH_RATE, np.int64)}
        probability, self._state = self._session.run(None, inputs)
        return float(probability.item())


class SileroModel:
    """The model's weights, shared by all callers. Calling it gives a detector for one of them."""

    def __init__(self, path: Path | None = None) -> None:
        """
        Args:
            path: The ONNX file; by default the one in the silero-vad package.

        Raises:
            ConfigError: There is no such file, or onnxruntime cannot load it.
        """
        import onnxruntime

        path = path or packaged_model()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own, without a common ancestor
            raise ConfigError(str(path), [f"no usable VAD model: {error}"]) from error

    def __call__(self) -> SileroVad:
        return SileroVad(self._session)


def packaged_model() -> Path:
    """The file inside the silero-vad package, which is not imported: it would want torch.

    Raises:
        ConfigError: The package is not installed.
    """
    try:
        return Path(str(distribution("silero-vad").locate_file("silero_vad/data/silero_vad.onnx")))
    except PackageNotFoundError as error:
        raise ConfigError("silero-vad", ["the package is not installed"]) from error
