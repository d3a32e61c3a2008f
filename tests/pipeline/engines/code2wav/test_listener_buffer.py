"""When a chunk is due: before whoever plays the stream runs dry, and in no case later than it may wait."""

from pipeline.engines.code2wav.listener_buffer import FRAME_S, MARGIN_S, ListenerBuffer

PATIENCE_S = 0.15


def test_the_first_chunk_is_due_at_once() -> None:
    assert ListenerBuffer().due(5.0, PATIENCE_S) == 5.0


def test_one_whose_listener_has_enough_to_play_may_wait_and_one_whose_listener_has_little_may_not() -> None:
    assert ListenerBuffer().sent(25, 5.0).due(5.3, PATIENCE_S) == 5.3 + PATIENCE_S
    assert ListenerBuffer().sent(1, 5.0).due(5.02, PATIENCE_S) == 5.02
    heard = ListenerBuffer().sent(3, 5.0)
    assert round(heard.due(5.05, PATIENCE_S), 6) == round(5.0 + 3 * FRAME_S - MARGIN_S, 6)


def test_what_was_sent_is_played_one_after_the_other_and_after_a_gap_from_when_it_comes() -> None:
    assert round(ListenerBuffer().sent(1, 5.0).sent(2, 5.01).ends, 6) == round(5.0 + 3 * FRAME_S, 6)
    assert round(ListenerBuffer().sent(1, 5.0).sent(2, 9.0).ends, 6) == round(9.0 + 2 * FRAME_S, 6)
