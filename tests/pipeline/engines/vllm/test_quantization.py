"""What vLLM is told of weights of 8 bits, what of a file is refused, and how much they take."""

import pytest

from pipeline.engines.vllm.quantization import ONLINE, faults, loaded_bytes, quantised
from pipeline.models.shared.weight_files import Stored

LAYERS = "model.layers."
MATRIX = Stored(f"{LAYERS}0.mlp.up_proj.weight", "BF16", (8, 4))
NORM = Stored(f"{LAYERS}0.input_layernorm.weight", "BF16", (4,))
TABLE = Stored("model.embed_tokens.weight", "BF16", (16, 4))


def test_weights_that_are_rounded_as_they_are_loaded_leave_some_layers_as_they_are() -> None:
    config = {"ignore": ["visual.*"]}
    assert quantised("fp8_per_channel", ["visual.*"]) == {
        "quantization": "fp8_per_channel",
        "quantization_config": config,
    }


@pytest.mark.parametrize(("quantization", "told"), [(None, {}), ("awq", {"quantization": "awq"})])
def test_what_a_checkpoint_says_of_itself_is_left_to_it(quantization: str | None, told: dict[str, str]) -> None:
    assert quantised(quantization, ["visual.*"]) == told


@pytest.mark.parametrize("quantization", ONLINE)
def test_a_checkpoint_that_is_quantised_already_is_not_rounded(quantization: str) -> None:
    (fault,) = faults(quantization, "bfloat16", {"bits": 4})
    assert fault.startswith(f"`quantization` is {quantization}, and the checkpoint is quantised already")
    assert [*faults(quantization, "bfloat16")] == []


def test_weights_of_8_bits_are_multiplied_with_numbers_of_16() -> None:
    (fault,) = faults("fp8_per_channel", "float32")
    assert fault == "`quantization` fp8_per_channel needs `dtype` bfloat16 or float16, and it is float32"


def test_the_name_that_vllm_gives_a_rounded_checkpoint_rounds_none() -> None:
    (fault,) = faults("fp8", "bfloat16")
    assert fault.endswith("for others say fp8_per_channel")
    assert [*faults("fp8", "bfloat16", {"quant_method": "fp8"})] == []


def test_only_the_matrices_of_its_layers_take_half() -> None:
    tensors = [MATRIX, NORM, TABLE]
    assert loaded_bytes(tensors, "bfloat16", None, LAYERS) == 2 * (32 + 4 + 64)
    assert loaded_bytes(tensors, "bfloat16", "fp8_per_channel", LAYERS) == 32 + 2 * (4 + 64)
    assert loaded_bytes(tensors, "bfloat16", "awq", LAYERS) == 2 * (32 + 4 + 64)
