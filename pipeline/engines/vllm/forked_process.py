"""Imported by the server that forks engines: Ctrl-C reaches neither it nor its forks, which end with the pipeline.

An engine that starts looks for garbage again and again. Among all that the server has imported that would take two
seconds of a processor, and a copy of it in memory: what is there at a fork stays out.
"""

import ctypes
import gc
import os
from signal import SIGKILL

PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Die with the parent's thread that forked: the pipeline's first one, which lives as long as the pipeline."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)


_end_with_parent()
os.register_at_fork(before=gc.freeze, after_in_child=_end_with_parent)
os.setpgrp()  # a terminal's Ctrl-C is for the pipeline, which ends its engines in its time
