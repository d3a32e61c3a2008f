"""What a stage takes of a GPU by its checkpoint."""

import pytest

from pipeline.models.shared.weight_files import Stored
from pipeline.runtime.checks.checkpoint_checks import decoder_bytes


@pytest.mark.parametrize(
    ("dtype", "expected"), [("float16", 10 * 2 + 3 * 4), ("float32", 13 * 4), ("bfloat16", 13 * 2)]
)
def test_with_float16_only_the_vocoder_of_a_speech_decoder_is_half_as_large(dtype: str, expected: int) -> None:
    tensors = [
        Stored("decoder.decoder.0.conv.weight", "F32", (2, 5)),
        Stored("decoder.pre_conv.conv.bias", "F32", (3,)),
    ]
    assert decoder_bytes(tensors, dtype, "decoder.decoder.") == expected
