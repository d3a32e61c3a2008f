"""Keeps what numpy multiplies to the thread that asks: others would spin for matrices that take microseconds."""

from threadpoolctl import threadpool_limits


def limit_blas_threads() -> None:
    """One thread for the linear algebra of this process, from now on; engines have processes of their own.

    With a thread on each of 16 cores six of them spun for the recogniser's spectra: 1.8 to 3.4 cores of a server with 8
    to 16 callers, where one thread takes 0.3 to 0.7 (`OPENBLAS_NUM_THREADS=1 python -m tests.gpu.chain --only many`).
    """
    threadpool_limits(limits=1, user_api="blas")
