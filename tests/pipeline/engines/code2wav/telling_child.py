"""Stands in for Code2Wav's process: refuses, and says what it was told."""

import msgspec

from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_pipes import open_pipes
from pipeline.engines.code2wav.messages import DecoderSettings, Question


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, DecoderSettings)
    send(SettingsRefused(settings.number, [msgspec.json.encode(settings).decode()]))


if __name__ == "__main__":
    main()
