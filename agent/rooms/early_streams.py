"""This module keeps what callers send before their call is set up: the first words of a microphone, a typed text."""

from collections import deque

from livekit import rtc

FIRST_WORDS, CHAT = "lk.agent.pre-connect-audio-buffer", "lk.chat"  # LiveKit's topics
MOST = 16  # of each; more than that nobody says in a tenth of a second


class EarlyStreams:
    """Takes the streams of a room from before it is connected until LiveKit's session takes them itself.

    Whoever sees the agent come sends at once, and a stream that nobody takes is lost.
    """

    def __init__(self, room: rtc.Room) -> None:
        self._room = room
        self._sounds: deque[tuple[rtc.ByteStreamReader, str]] = deque(maxlen=MOST)
        self._texts: deque[tuple[rtc.TextStreamReader, str]] = deque(maxlen=MOST)
        room.register_byte_stream_handler(FIRST_WORDS, self._on_sound)
        room.register_text_stream_handler(CHAT, self._on_text)

    def let_go(self) -> None:
        """LiveKit's session takes them next."""
        self._room.unregister_byte_stream_handler(FIRST_WORDS)
        self._room.unregister_text_stream_handler(CHAT)

    def replay(self) -> None:
        """Give what was kept to those who take such streams now, if anybody does."""
        sounds, texts = list(self._sounds), list(self._texts)
        self._sounds.clear()
        self._texts.clear()
        if take_sound := self._room._byte_stream_handlers.get(FIRST_WORDS):
            for sound, identity in sounds:
                take_sound(sound, identity)
        if take_text := self._room._text_stream_handlers.get(CHAT):
            for text, identity in texts:
                take_text(text, identity)

    def _on_sound(self, reader: rtc.ByteStreamReader, identity: str) -> None:
        self._sounds.append((reader, identity))

    def _on_text(self, reader: rtc.TextStreamReader, identity: str) -> None:
        self._texts.append((reader, identity))
