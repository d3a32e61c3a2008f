"""The decoder's attention stands in for vLLM's only where it does the same."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from pipeline.models.shared.decoder_attention.fit import misfits


@dataclass(frozen=True)
class Attention:
    """As much of vLLM's `Qwen3Attention` as is looked at."""

    backend: str = "FLASH_ATTN"
    cache_dtype: str = "bfloat16"
    head_dim: int = 128
    rotated: int = 128

    @property
    def attn(self) -> SimpleNamespace:
        backend = SimpleNamespace(get_name=lambda: self.backend)
        return SimpleNamespace(attn_backend=backend, kv_cache_torch_dtype=self.cache_dtype)

    @property
    def rotary_emb(self) -> SimpleNamespace:
        return SimpleNamespace(cos_sin_cache=SimpleNamespace(shape=(2048, self.rotated)))


@pytest.mark.parametrize("backend", ["FLASH_ATTN", "TRITON_ATTN", "CPU_ATTN"])
def test_it_fits_backends_that_tell_of_all_requests_at_once(backend: str) -> None:
    assert misfits(Attention(backend), 1, "bfloat16") == []


def test_beside_vllms_own_it_fits_backends_whose_cache_lies_as_its_does() -> None:
    assert [misfits(Attention(each), 1, "bfloat16", mixed=True) for each in ("FLASH_ATTN", "TRITON_ATTN")] == [[], []]
    why = "the attention backend is CPU_ATTN, not one of FLASH_ATTN, TRITON_ATTN"
    assert misfits(Attention("CPU_ATTN"), 1, "bfloat16", mixed=True) == [why]


def test_it_does_not_fit_layers_that_are_compiled() -> None:
    assert misfits(Attention(), 1, "bfloat16", compiled=True) == ["its layers are compiled"]


@pytest.mark.parametrize(
    ("attention", "gpus", "why"),
    [
        (
            Attention("FLASHINFER"),
            1,
            "the attention backend is FLASHINFER, not one of FLASH_ATTN, TRITON_ATTN, CPU_ATTN",
        ),
        (Attention(), 2, "tensor_parallel_size is 2, not 1"),
        (Attention(cache_dtype="float8_e4m3fn"), 1, "the cache is of float8_e4m3fn, the weights of bfloat16"),
        (Attention(head_dim=96, rotated=96), 1, "heads of 96 are no power of two"),
        (Attention(rotated=64), 1, "of a head's 128 numbers 64 are rotated"),
    ],
)
def test_each_thing_that_does_not_fit_is_named(attention: Attention, gpus: int, why: str) -> None:
    assert misfits(attention, gpus, "bfloat16") == [why]


def test_all_of_them_are_named() -> None:
    assert len(misfits(Attention("FLASHINFER", "float32", 96, 64), 2, "bfloat16")) == 5
