"""How a process of an engine's own answers."""

import os
import sys

import pytest

from pipeline.engines.child_pipes import answers_to
from pipeline.engines.code2wav.messages import DecodedPcm


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pipes have the size that they have")
def test_a_batch_of_sound_is_sent_before_anybody_reads() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb"), os.fdopen(writer, "wb") as sink:
        os.set_blocking(writer, False)  # it would wait for ever
        send = answers_to(sink)
        for number in range(8):
            send(DecodedPcm(number, bytes(96_000)))
