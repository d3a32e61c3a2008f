"""Voice activity detection: the Silero model, run with onnxruntime."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pipeline.engines.silero.vad_batcher import VadBatcher
from pipeline.errors import ConfigError
from pipeline.media.sample_rates import SPEECH_RATE

FRAME = 512  # samples of one probability: 32 ms
CONTEXT = 64  # samples of the frame before, which the model wants in front of each frame

Floats = NDArray[np.float32]


class SileroVad:
    """Follows one caller's sound."""

    def __init__(self, batcher: VadBatcher) -> None:
        self._batcher = batcher
        self._state: Floats = np.zeros((2, 1, 128), np.float32)
        self._heard: Floats = np.zeros(CONTEXT, np.float32)  # the context, and what makes no whole frame yet

    async def feed(self, pcm: Floats) -> list[float]:
        """Speech probabilities of the frames that `pcm` (float32, 16 kHz mono) completes."""
        heard = np.concatenate([self._heard, pcm])
        frames = (len(heard) - CONTEXT) // FRAME
        self._heard = heard[frames * FRAME :]
        if not frames:
            return []
        windows = sliding_window_view(heard, CONTEXT + FRAME)[::FRAME]
        probabilities, self._state = await self._batcher.judge(windows, self._state)
        return probabilities


class SileroNetwork:
    """The model as its file has it."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._rate = np.array(SPEECH_RATE, np.int64)

    def __call__(self, windows: Floats, states: Floats) -> tuple[Floats, Floats]:
        probabilities, after = self._session.run(None, {"input": windows, "state": states, "sr": self._rate})
        return probabilities, after


class SileroModel:
    """The model's weights and its thread, shared by all callers. Calling it gives a detector for one of them."""

    def __init__(self, path: Path | None = None) -> None:
        """Loads the network into onnxruntime, which computes on one thread.

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
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own, without a common ancestor
            raise ConfigError(str(path), [f"no usable VAD model: {error}"]) from error
        self._batcher = VadBatcher(SileroNetwork(session))

    def __call__(self) -> SileroVad:
        return SileroVad(self._batcher)

    async def aclose(self) -> None:
        """End the thread, when all callers have gone; returns when it has ended."""
        await self._batcher.aclose()


def packaged_model() -> Path:
    """The file inside the silero-vad package, which is not imported: it would want torch.

    Raises:
        ConfigError: The package is not installed.
    """
    try:
        return Path(str(distribution("silero-vad").locate_file("silero_vad/data/silero_vad.onnx")))
    except PackageNotFoundError as error:
        raise ConfigError("silero-vad", ["the package is not installed"]) from error
