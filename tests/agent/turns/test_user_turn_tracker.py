"""The gate's decisions, as they follow from what happens."""

from agent.turns.user_turn_tracker import (
    Action,
    Caption,
    DropSound,
    Expired,
    Final,
    Flush,
    Interrupt,
    Kind,
    Onset,
    PartialHeard,
    Pause,
    TakeTurn,
    TurnCommitted,
    TurnEvent,
    UserTurnTracker,
)

QUIET = Onset(audible=False, answering=False)
OVER_AGENT = Onset(audible=True, answering=True)
OVER_THOUGHT = Onset(audible=False, answering=True)


def heard(
    text: str, kind: Kind = "speech", *, item: str = "item_1", settled: bool = True, audio_end_ms: int = 900
) -> PartialHeard:
    return PartialHeard(item, text, kind, audio_end_ms, settled)


def follow(*happenings: TurnEvent) -> list[Action]:
    tracker = UserTurnTracker(longest_ms=30_000)
    return [action for turn_event in happenings for action in tracker.feed(turn_event)]


def why(*happenings: TurnEvent) -> str | None:
    tracker = UserTurnTracker(longest_ms=30_000)
    for turn_event in happenings:
        tracker.feed(turn_event)
    return tracker.reason


def test_each_decision_has_a_reason() -> None:
    assert why(OVER_AGENT, Pause()) is None
    assert why(QUIET, Pause(), heard("where is Rome"), Flush()) == "words"
    assert why(QUIET, Pause(), heard("okay", "backchannel"), Flush()) == "words"
    assert why(OVER_AGENT, heard("stop", settled=False)) == "words"
    assert why(OVER_AGENT, Pause(), heard("mhm", "backchannel")) == "backchannel"
    assert why(QUIET, Pause(), heard("", "noise")) == "no_words"
    assert why(QUIET, Pause(), heard("[music]", "noise")) == "noise"
    assert why(OVER_AGENT, heard("stop", settled=False), Pause(), heard("", "noise")) == "taken_back"


def test_what_was_decided_because_nothing_was_known_in_time_says_so() -> None:
    assert why(OVER_AGENT, Pause(), Expired()) == "timeout"
    assert why(QUIET, Pause(), Flush(), Expired()) == "timeout"
    assert why(QUIET, Pause(), Expired(), heard("where is Rome"), Flush()) == "words"
    assert why(QUIET, heard("where", settled=False), Pause(), Flush(), Expired()) == "words"


def test_a_question_is_a_turn_when_livekit_asks_for_it() -> None:
    assert follow(QUIET, Pause(), heard("where is Rome"), Flush()) == [
        Caption("item_1", "where is Rome"),
        Final("where is Rome"),
    ]


def test_a_verdict_waits_for_the_label_of_the_whole_sound() -> None:
    early = heard("yes", "backchannel", settled=False)
    assert follow(OVER_AGENT, early, Pause(), Flush()) == []
    assert follow(OVER_AGENT, early, Pause(), Flush(), heard("yes but stop"))[-1] == Final("yes but stop")


def test_speech_over_the_agent_interrupts_while_it_is_still_being_spoken() -> None:
    assert follow(OVER_AGENT, heard("stop", settled=False)) == [Caption("item_1", "stop"), Interrupt()]


def test_it_interrupts_once() -> None:
    actions = follow(OVER_AGENT, heard("stop", settled=False), heard("stop please", settled=False), Pause())
    assert actions.count(Interrupt()) == 1


def test_speech_over_an_answer_that_is_only_being_prepared_stops_that_too() -> None:
    assert Interrupt() in follow(OVER_THOUGHT, heard("no wait", settled=False))


def test_a_backchannel_over_the_agent_is_dropped_at_once_and_the_agent_goes_on() -> None:
    assert follow(OVER_AGENT, Pause(), heard("mhm", "backchannel")) == [DropSound("backchannel", resume=True)]


def test_the_same_word_is_an_answer_when_the_agent_is_silent() -> None:
    assert follow(QUIET, Pause(), heard("okay", "backchannel"), Flush())[-1] == Final("okay")
    assert follow(OVER_THOUGHT, Pause(), heard("okay", "backchannel"), Flush())[-1] == Final("okay")


def test_noise_is_never_a_turn() -> None:
    assert follow(QUIET, Pause(), heard("", "noise")) == [DropSound("noise", resume=False)]
    assert follow(QUIET, Pause(), Flush(), heard("", "noise")) == [Final(""), DropSound("noise", resume=False)]


def test_what_was_interrupted_cannot_be_resumed() -> None:
    actions = follow(OVER_AGENT, heard("stop", settled=False), Pause(), heard("", "noise"))
    assert actions[-1] == DropSound("noise", resume=False)


def test_after_a_pause_the_same_sound_goes_on() -> None:
    first, second = heard("yes", "backchannel", settled=False), heard("yes and you", settled=True)
    assert follow(OVER_AGENT, Pause(), QUIET, first, Pause(), second)[-2:] == [
        Caption("item_1", "yes and you"),
        Interrupt(),
    ]


def test_a_label_from_before_the_resumption_decides_nothing() -> None:
    assert follow(QUIET, Pause(), heard("where is"), QUIET, Pause(), Flush()) == [Caption("item_1", "where is")]


def test_a_second_flush_gets_the_turn_again() -> None:
    spoken = (QUIET, Pause(), heard("where is"), Flush())
    again = (QUIET, heard("where is", settled=False), Pause(), heard("where is Rome"), Flush())
    assert [action for action in follow(*spoken, *again) if isinstance(action, Final)] == [
        Final("where is"),
        Final("where is Rome"),
    ]


def test_partials_of_a_taken_turn_mean_nothing_to_the_next_sound() -> None:
    taken = (QUIET, Pause(), heard("where is Rome"), Flush(), TurnCommitted())
    assert follow(*taken, OVER_THOUGHT, heard("where is Rome"))[-1] == Final("where is Rome")
    assert Interrupt() in follow(*taken, OVER_THOUGHT, heard("no", item="item_2", settled=False))


def test_without_a_sound_there_is_no_turn() -> None:
    assert follow(Flush()) == [Final("")]
    assert follow(Pause(), heard("hm"), Expired(), TurnCommitted()) == []


def test_without_a_label_a_sound_over_the_agent_is_no_turn() -> None:
    assert follow(OVER_AGENT, Pause(), Expired()) == [DropSound("noise", resume=True)]


def test_without_a_label_a_sound_is_otherwise_a_turn_because_the_pipeline_is_slow() -> None:
    assert follow(QUIET, Pause(), Flush(), Expired()) == [Final("…")]
    assert follow(OVER_THOUGHT, Pause(), Flush(), Expired()) == [Interrupt(), Final("…")]


def test_the_same_words_are_captioned_once() -> None:
    actions = follow(QUIET, heard("where", settled=False), heard("where", settled=False), Pause(), heard("where is"))
    assert actions == [Caption("item_1", "where"), Caption("item_1", "where is")]


def test_a_label_that_does_not_settle_in_time_counts_as_it_is() -> None:
    unsettled = heard("where is Rome", settled=False)
    assert follow(QUIET, unsettled, Pause(), Flush(), Expired())[-1] == Final("where is Rome")


def test_speech_that_never_pauses_is_answered_in_the_end() -> None:
    endless = heard("and then", settled=False, audio_end_ms=30_000)
    assert TakeTurn() not in follow(QUIET, heard("and", settled=False, audio_end_ms=29_999))
    assert follow(QUIET, endless)[-1] == TakeTurn()


def test_after_it_was_answered_endless_speech_is_a_new_sound() -> None:
    tracker = UserTurnTracker(longest_ms=1_000)
    for turn_event in (QUIET, heard("and then", settled=False, audio_end_ms=1_000), TurnCommitted()):
        tracker.feed(turn_event)
    assert tracker.undecided
    assert tracker.feed(heard("and so", item="item_2", settled=False)) == [Caption("item_2", "and so"), Interrupt()]


def test_a_turn_is_undecided_until_it_is_taken() -> None:
    tracker = UserTurnTracker(longest_ms=30_000)
    for turn_event in (QUIET, Pause(), heard("where is Rome"), Flush()):
        tracker.feed(turn_event)
        assert tracker.undecided
    tracker.feed(TurnCommitted())
    assert not tracker.undecided


def test_a_backchannel_of_which_no_more_is_told_after_its_pause_does_not_wait_for_the_next_question() -> None:
    actions = follow(OVER_AGENT, heard("mhm", "backchannel"), Pause(), Expired(over_agent=False), QUIET)
    assert actions == [DropSound("backchannel", resume=True)]
