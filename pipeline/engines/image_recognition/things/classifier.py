"""Says what one picture is of, with EfficientNet-Lite3: a probability for each of 1,000 kinds.

Tan and Le, EfficientNet (arXiv 1905.11946); the uint8 file takes pixels of 0…255 as they are.
"""

import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.media.video_chunk import Pixels, sized

LABELS = "labels_without_background.txt"  # in the zip that is appended to the model


class ThingClassifier:
    """Wraps the classifier's TFLite file.

    Attributes:
        labels: ImageNet's, in the order of the probabilities.
    """

    def __init__(self, file: Path, threads: int) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter = Interpreter(str(file), num_threads=threads)
        self._interpreter.allocate_tensors()
        (self._input,) = self._interpreter.get_input_details()
        (self._output,) = self._interpreter.get_output_details()
        self.labels = read_labels(file)

    def probabilities(self, pixels: Pixels) -> NDArray[np.float32]:
        """Float32 [1,000] of a picture (uint8 RGB, [height, width, 3]) of any size; it is made square."""
        _, height, width, _ = self._input["shape"]
        self._interpreter.set_tensor(self._input["index"], sized(pixels, (int(width), int(height)))[None])
        self._interpreter.invoke()
        scale, zero = self._output["quantization"]
        levels: NDArray[np.uint8] = self._interpreter.get_tensor(self._output["index"])[0]
        return (levels.astype(np.float32) - np.float32(zero)) * np.float32(scale)


def read_labels(file: Path) -> tuple[str, ...]:
    """The labels that a model carries.

    Raises:
        RuntimeError: It carries none.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            return tuple(archive.read(LABELS).decode().splitlines())
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise RuntimeError(f"{file.name} carries no labels: {error}") from error
