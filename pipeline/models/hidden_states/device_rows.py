"""A pool's rows as a tensor that the device writes: no copy is made on the way."""

import torch
from torch import Tensor

from pipeline.models.hidden_states.row_pool import RowPool


def device_rows(pool: RowPool, like: Tensor) -> Tensor:
    """[rows of the pool, layers, width]; a GPU writes them through page-locked memory.

    Args:
        like: Rows of the model, which the pool must have been laid out for.
    """
    layout = pool.layout
    dtype = getattr(torch, layout.dtype)
    shape = (layout.pages * layout.page_rows, layout.layers, layout.width)
    assert (like.dtype, like.shape[1:]) == (dtype, shape[1:]), "the pool was laid out for another model"
    rows = torch.frombuffer(pool.memory, dtype=dtype, count=shape[0] * shape[1] * shape[2], offset=layout.rows_at)
    rows = rows.view(shape)
    return rows if like.device.type == "cpu" else _registered(rows)


def _registered(rows: Tensor) -> Tensor:
    """Locks the pages, and maps them into the device's addresses."""
    from vllm.utils.torch_utils import get_accelerator_view_from_cpu_tensor

    error = torch.cuda.cudart().cudaHostRegister(rows.data_ptr(), rows.numel() * rows.element_size(), 0)
    if error not in (0, torch.cuda.cudart().cudaError.success):
        raise RuntimeError(f"the pool of hidden states could not be page-locked: {error}")
    return get_accelerator_view_from_cpu_tensor(rows)
