"""The process that recognises pictures. It is told what to load, and ends when its input closes."""

import os
import sys
from pathlib import Path

from pipeline.aio import startup_objects as heap
from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_pipes import open_pipes
from pipeline.engines.image_recognition.messages import Question, RecognizerReady, RecognizerSettings
from pipeline.engines.image_recognition.recognizer import PictureRecognizer
from pipeline.engines.image_recognition.service import serve


def main() -> None:
    inbox, send = open_pipes(Question)
    settings = inbox.get()
    assert isinstance(settings, RecognizerSettings)
    os.nice(settings.niceness)
    try:
        recognizer = _opened(settings)
    except Exception as error:  # a library is missing, or a file is damaged, of which each library has its own error
        send(SettingsRefused(settings.number, [f"{type(error).__name__}: {error}"]))
        sys.exit(1)
    heap.freeze_startup_objects()
    send(RecognizerReady(settings.number))
    serve(recognizer, inbox, send)


def _opened(settings: RecognizerSettings) -> PictureRecognizer:
    from pipeline.engines.image_recognition.text.text_reader import TextReader
    from pipeline.engines.image_recognition.things.classifier import ThingClassifier
    from pipeline.engines.image_recognition.things.detector import ThingDetector

    detector = ThingDetector(Path(settings.detector), settings.threads)
    classifier = ThingClassifier(Path(settings.classifier), settings.threads)
    reader = None
    if settings.text_finder:
        reader = TextReader(Path(settings.text_finder), Path(settings.text_reader), settings.threads)
    return PictureRecognizer(detector, classifier, classifier.labels, reader)


if __name__ == "__main__":
    main()
