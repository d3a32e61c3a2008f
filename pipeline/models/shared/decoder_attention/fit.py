"""Whether the kernel can stand in for vLLM's attention."""

from typing import Any

# In their metadata of a step, `query_start_loc` and `block_table` are of all its requests; FLASHINFER's has neither.
BACKENDS = ("FLASH_ATTN", "TRITON_ATTN", "CPU_ATTN")
# Their cache lies as ours does, so that either may read what the other has written.
MIXED = ("FLASH_ATTN", "TRITON_ATTN")


def misfits(
    attention: Any, tensor_parallel_size: int, dtype: object, *, mixed: bool = False, compiled: bool = False
) -> list[str]:
    """What of vLLM's attention the kernel cannot do, in words; nothing where it fits.

    Args:
        attention: A `Qwen3Attention`.
        dtype: Of the weights.
        mixed: It stands in for it in some steps only.
        compiled: vLLM has torch compile the layers, once, of a step that has no cache yet.
    """
    backend, cache_dtype = attention.attn.attn_backend.get_name(), attention.attn.kv_cache_torch_dtype
    size, rotated = attention.head_dim, attention.rotary_emb.cos_sin_cache.shape[1]
    backends = MIXED if mixed else BACKENDS
    found = {
        "its layers are compiled": compiled,
        f"the attention backend is {backend}, not one of {', '.join(backends)}": backend not in backends,
        f"tensor_parallel_size is {tensor_parallel_size}, not 1": tensor_parallel_size != 1,
        f"the cache is of {cache_dtype}, the weights of {dtype}": cache_dtype != dtype,
        f"heads of {size} are no power of two": size & (size - 1) != 0,
        f"of a head's {size} numbers {rotated} are rotated": rotated != size,
    }
    return [what for what, is_so in found.items() if is_so]
