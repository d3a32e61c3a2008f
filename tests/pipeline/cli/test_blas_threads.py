"""The server multiplies matrices in the thread that asks."""

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from pipeline.cli.blas_threads import limit_blas_threads


def test_linear_algebra_has_one_thread() -> None:
    assert np.ones((2, 2)) @ np.ones((2, 2)) is not None
    with threadpool_limits():  # as it was, afterwards
        limit_blas_threads()
        threads = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    assert threads and set(threads) == {1}
