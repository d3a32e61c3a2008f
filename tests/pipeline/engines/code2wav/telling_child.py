"""Stands in for Code2Wav's process: refuses, and says what it was told."""

import os
import threading
from queue import SimpleQueue

import msgspec

from pipeline.engines.code2wav.messages import DecodeRefused, DecoderSettings
from pipeline.engines.code2wav.service import Inbox, answers_to, read_questions


def main() -> None:
    inbox: Inbox = SimpleQueue()
    threading.Thread(target=read_questions, args=(0, inbox), daemon=True).start()
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    answers_to(os.fdopen(os.dup(1), "wb"))(DecodeRefused(settings.number, [msgspec.json.encode(settings).decode()]))


if __name__ == "__main__":
    main()
