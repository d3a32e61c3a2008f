"""What is sent while a call is being set up is taken when it is."""

from typing import Any

from livekit import rtc

from agent.rooms.early_streams import CHAT, FIRST_WORDS, MOST, EarlyStreams


class Streaming:
    """A room that hands its streams on as LiveKit's does: to the one who takes them, or to nobody."""

    register_byte_stream_handler: Any = rtc.Room.register_byte_stream_handler
    register_text_stream_handler: Any = rtc.Room.register_text_stream_handler
    unregister_byte_stream_handler: Any = rtc.Room.unregister_byte_stream_handler
    unregister_text_stream_handler: Any = rtc.Room.unregister_text_stream_handler

    def __init__(self) -> None:
        self._byte_stream_handlers: dict[str, Any] = {}
        self._text_stream_handlers: dict[str, Any] = {}
        self.taken: list[tuple[str, str]] = []

    def say(self, what: str) -> None:
        self._byte_stream_handlers[FIRST_WORDS](what, "ann")

    def type(self, what: str) -> None:
        self._text_stream_handlers[CHAT](what, "ann")

    def set_up(self) -> None:
        """As LiveKit's session does: a topic that is taken is refused."""
        self.register_byte_stream_handler(FIRST_WORDS, self._take)
        self.register_text_stream_handler(CHAT, self._take)

    def _take(self, what: str, identity: str) -> None:
        self.taken.append((what, identity))


def test_what_comes_before_the_call_is_set_up_is_taken_when_it_is_and_once() -> None:
    room: Any = Streaming()
    early = EarlyStreams(room)
    room.say("first words")
    room.type("first text")
    early.let_go()
    room.set_up()
    room.say("more")
    early.replay()
    early.replay()
    assert room.taken == [("more", "ann"), ("first words", "ann"), ("first text", "ann")]


def test_where_nobody_takes_them_they_are_forgotten() -> None:
    room: Any = Streaming()
    early = EarlyStreams(room)
    room.type("text")
    room.say("words")
    early.let_go()
    early.replay()
    room.set_up()
    early.replay()
    assert room.taken == []


def test_of_many_the_newest_are_kept() -> None:
    room: Any = Streaming()
    early = EarlyStreams(room)
    for number in range(MOST + 1):
        room.type(str(number))
    early.let_go()
    room.set_up()
    early.replay()
    assert [what for what, _ in room.taken] == [str(number) for number in range(1, MOST + 1)]
