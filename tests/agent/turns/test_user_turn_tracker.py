"""The gate's decisions, as they follow from what happens."""

from dataclasses import replace

import pytest

from agent.turns.turn_events import (
    Expired,
    Flush,
    Kind,
    Onset,
    PartialHeard,
    Pause,
    TurnCommitted,
    TurnEvent,
    Unheard,
    Written,
)
from agent.turns.user_turn_tracker import Action, Caption, DropSound, Final, GoOn, Interrupt, TakeTurn, UserTurnTracker

QUIET = Onset(audible=False, answering=False)
OVER_AGENT = Onset(audible=True, answering=True)
OVER_THOUGHT = Onset(audible=False, answering=True)


def heard(
    text: str, kind: Kind = "speech", *, item: str = "item_1", settled: bool = True, audio_end_ms: int = 900
) -> PartialHeard:
    return PartialHeard(item, text, kind, audio_end_ms, settled)


STOP = (heard("stop", settled=False), heard("Stop, please.", settled=False))  # two that agree


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
    assert why(OVER_AGENT, *STOP, Pause(), heard("", "noise")) == "taken_back"


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
    assert follow(OVER_AGENT, *STOP) == [Caption("item_1", "stop"), Caption("item_1", "Stop, please."), Interrupt()]


def test_the_first_guess_at_a_sound_stops_nothing_that_is_heard() -> None:
    guess = heard("It's hard.", settled=False)
    assert follow(OVER_AGENT, guess) == [Caption("item_1", "It's hard.")]
    assert follow(OVER_AGENT, guess, Pause(), heard("Uh-huh.", "backchannel")) == [
        Caption("item_1", "It's hard."),
        DropSound("backchannel", resume=True),
    ]


def test_guesses_that_contradict_each_other_stop_nothing() -> None:
    assert Interrupt() not in follow(OVER_AGENT, heard("It's hard.", settled=False), heard("Is a heart", settled=False))
    assert Interrupt() not in follow(
        OVER_AGENT,
        heard("stop", settled=False),
        heard("mhm", "backchannel", settled=False),
        heard("stop", settled=False),
    )


def test_words_that_are_settled_stop_the_answer_though_nothing_confirms_them() -> None:
    assert Interrupt() in follow(OVER_AGENT, Pause(), heard("stop"))
    assert Interrupt() in follow(OVER_AGENT, heard("stop", settled=False), Pause(), Expired())


def test_it_interrupts_once() -> None:
    actions = follow(OVER_AGENT, *STOP, heard("stop please now", settled=False), Pause())
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
    actions = follow(OVER_AGENT, *STOP, Pause(), heard("", "noise"))
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


def test_a_sound_in_whose_beginning_were_no_words_is_a_turn_that_the_pipeline_is_slow_with() -> None:
    beginning = heard("", "noise", settled=False, audio_end_ms=800)
    assert follow(QUIET, beginning, Pause(1_682), Flush(), Expired()) == [Final("…")]
    assert why(QUIET, beginning, Pause(1_682), Flush(), Expired()) == "timeout"
    assert follow(OVER_AGENT, beginning, Pause(1_682), Expired(over_agent=False)) == [], "which waits longer"
    assert follow(QUIET, beginning, Pause(900), Flush(), Expired()) == [Final(""), DropSound("noise", resume=False)]


def test_of_an_okay_at_the_beginning_of_a_longer_sound_the_rest_is_waited_for() -> None:
    okay = heard("Okay", "backchannel", settled=False, audio_end_ms=800)
    slow = (OVER_AGENT, okay, Pause(1_640), Unheard(), Expired(over_agent=False))
    assert follow(*slow) == [GoOn()]
    assert follow(*slow, heard("Okay, where is Rome?"))[-1] == Interrupt()
    assert follow(*slow, Expired()) == [GoOn(), DropSound("noise", resume=True)]
    assert follow(QUIET, okay, Pause(1_640), Flush(), Expired())[-1] == Final("Okay")


def test_the_same_words_are_captioned_once() -> None:
    actions = follow(QUIET, heard("where", settled=False), heard("where", settled=False), Pause(), heard("where is"))
    assert actions == [Caption("item_1", "where"), Caption("item_1", "where is")]


def test_a_label_that_does_not_settle_in_time_counts_as_it_is() -> None:
    unsettled = heard("where is Rome", settled=False)
    assert follow(QUIET, unsettled, Pause(), Flush(), Expired())[-1] == Final("where is Rome")


def test_speech_that_never_pauses_is_answered_in_the_end() -> None:
    endless = heard("and then", settled=False, audio_end_ms=30_000)
    assert TakeTurn("long_speech") not in follow(QUIET, heard("and", settled=False, audio_end_ms=29_999))
    assert follow(QUIET, endless)[-1] == TakeTurn("long_speech")


def test_who_pauses_between_sentences_may_speak_for_longer() -> None:
    events: list[TurnEvent] = []
    for end_ms in range(5_200, 31_201, 5_200):
        words = heard(f"and then {end_ms}", settled=False, audio_end_ms=end_ms)
        events += [QUIET, words, Pause(), replace(words, settled=True)]
    assert TakeTurn("long_speech") not in follow(*events)
    without_a_pause = heard("and so on", settled=False, audio_end_ms=31_200 + 30_000)
    assert follow(*events, QUIET, replace(without_a_pause, audio_end_ms=61_199))[-1] == Caption("item_1", "and so on")
    assert follow(*events, QUIET, without_a_pause)[-1] == TakeTurn("long_speech")


def test_of_an_utterance_that_the_pipeline_begins_anew_all_counts() -> None:
    earlier = heard("and then", settled=False, audio_end_ms=8_000)
    endless = heard("and so on", item="item_2", settled=False, audio_end_ms=30_000)
    assert follow(QUIET, earlier, Pause(), QUIET, endless)[-1] == TakeTurn("long_speech")


LISBON = "What is the weather like in Lisbon today?"


def test_a_whole_sentence_is_answered_though_something_else_can_be_heard_behind_it() -> None:
    first = heard(LISBON, settled=False, audio_end_ms=3_000)
    again = heard(LISBON.removesuffix("?") + ".", settled=False, audio_end_ms=4_000)
    assert follow(QUIET, first, again)[-1] == TakeTurn("unchanged_words")


@pytest.mark.parametrize(("text", "taken"), [("I would like the.", True), ("I would like, uh.", False)])
def test_in_sound_that_goes_on_a_mark_ends_a_sentence_unless_somebody_thinks(text: str, taken: bool) -> None:
    first, again = (heard(text, settled=False, audio_end_ms=end_ms) for end_ms in (3_000, 4_000))
    assert (TakeTurn("unchanged_words") in follow(QUIET, first, again)) is taken


def test_what_is_left_of_a_sound_whose_turn_was_taken_is_nothing_unless_words_are_heard_in_it() -> None:
    first = heard(LISBON, settled=False, audio_end_ms=3_000)
    again = heard(LISBON.removesuffix("?") + ".", settled=False, audio_end_ms=4_000)
    taken = (QUIET, first, again, TurnCommitted())
    assert follow(*taken, Pause(), Expired()) == [*follow(*taken), DropSound("noise", resume=True)]
    more = heard("And tomorrow?", item="item_2")
    assert Interrupt() in follow(*taken, more, Pause())
    assert Interrupt() in follow(*taken, Pause(), Onset(audible=False, answering=True), Pause(), Expired())


def test_who_speaks_on_is_not_cut_off() -> None:
    first = heard(LISBON, settled=False, audio_end_ms=3_000)
    for later in (
        heard(LISBON, settled=False, audio_end_ms=3_900),
        heard(LISBON + " And tomorrow?", settled=False, audio_end_ms=4_500),
        heard(LISBON.removesuffix("?"), settled=False, audio_end_ms=4_500),
    ):
        assert not [action for action in follow(QUIET, first, later) if isinstance(action, TakeTurn)]


def test_a_hypothesis_of_before_the_person_went_on_says_nothing_of_what_they_say_now() -> None:
    first = heard(LISBON, settled=False, audio_end_ms=3_000)
    late, of_now = (heard(LISBON, settled=False, audio_end_ms=end_ms) for end_ms in (4_100, 4_200))
    events = (QUIET, first, Pause(), QUIET, late)
    assert not [action for action in follow(*events) if isinstance(action, TakeTurn)]
    assert follow(*events, of_now)[-1] == TakeTurn("unchanged_words")


def test_what_changed_in_between_is_not_unchanged() -> None:
    there_and_back = (
        heard(LISBON, settled=False, audio_end_ms=3_000),
        heard("What is the leather", settled=False, audio_end_ms=3_800),
        heard(LISBON, settled=False, audio_end_ms=4_600),
    )
    assert not [action for action in follow(QUIET, *there_and_back) if isinstance(action, TakeTurn)]


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


def test_an_answer_goes_on_in_the_middle_of_a_sound_in_which_no_words_are_heard() -> None:
    nothing = heard("", "noise", settled=False, audio_end_ms=1_600)
    assert follow(OVER_AGENT, nothing) == [GoOn()]
    assert follow(OVER_AGENT, replace(nothing, text="[music]")) == [GoOn()]
    assert follow(QUIET, nothing) == []


def test_in_the_first_moment_of_a_sound_words_may_not_be_made_out_yet() -> None:
    assert follow(OVER_AGENT, heard("", "noise", settled=False, audio_end_ms=800)) == []


def test_words_that_come_after_all_stop_an_answer_that_has_gone_on() -> None:
    actions = follow(OVER_AGENT, heard("", "noise", settled=False, audio_end_ms=1_600), *STOP)
    assert [action for action in actions if not isinstance(action, Caption)] == [GoOn(), Interrupt()]


def test_of_an_okay_that_is_not_over_the_rest_may_be_words() -> None:
    assert follow(OVER_AGENT, heard("okay", "backchannel", settled=False)) == []


def test_an_answer_goes_on_when_no_words_have_come_for_long_enough() -> None:
    assert follow(OVER_AGENT, Pause(), Unheard()) == [GoOn()]
    assert follow(OVER_AGENT, heard("okay", "backchannel", settled=False), Pause(), Unheard()) == [GoOn()]
    assert follow(OVER_AGENT, Unheard()) == []
    assert GoOn() not in follow(OVER_AGENT, heard("where is", settled=False), Pause(), Unheard())
    assert follow(OVER_THOUGHT, Pause(), Unheard()) == []


def test_a_short_sound_stops_an_answer_only_with_a_word_that_is_meant_to() -> None:
    short = Pause(sound_ms=450)
    assert follow(OVER_AGENT, short, heard("It's hard.")) == [DropSound("speech", resume=True)]
    assert why(OVER_AGENT, short, heard("It's hard.")) == "short"
    assert follow(OVER_AGENT, short, heard("Stop."))[-1] == Interrupt()
    assert follow(OVER_AGENT, short, heard("Rome?"))[-1] == Interrupt()
    assert follow(OVER_AGENT, Pause(sound_ms=900), heard("It's hard."))[-1] == Interrupt()
    assert follow(OVER_AGENT, Pause(), heard("It's hard."))[-1] == Interrupt()


def test_a_short_sound_is_an_answer_while_the_agent_listens() -> None:
    assert follow(QUIET, Pause(sound_ms=400), heard("Two."), Flush())[-1] == Final("Two.")


def test_who_goes_on_after_a_short_sound_has_not_made_a_short_sound() -> None:
    actions = follow(OVER_AGENT, Pause(sound_ms=400), OVER_AGENT, Pause(sound_ms=1_500), heard("Two of them."))
    assert actions[-1] == Interrupt()


def test_words_that_have_stopped_an_answer_count_however_short_the_sound_proves() -> None:
    actions = follow(OVER_AGENT, heard("Rome", settled=False), heard("Rome and", settled=False), Pause(sound_ms=600))
    assert actions[-1] == Interrupt()
    follows = follow(
        OVER_AGENT,
        heard("Rome", settled=False),
        heard("Rome and", settled=False),
        Pause(sound_ms=600),
        Flush(),
        heard("Rome and"),
    )
    assert follows[-1] == Final("Rome and")


def test_what_is_too_quiet_to_be_meant_for_the_agent_does_not_stop_it() -> None:
    aside = replace(heard("Close the door, please."), aside=True)
    assert follow(OVER_AGENT, replace(aside, settled=False)) == [GoOn()]
    assert follow(OVER_AGENT, Pause(), aside) == [DropSound("speech", resume=True)]
    assert why(OVER_AGENT, Pause(), aside) == "aside"
    assert follow(QUIET, Pause(), aside, Flush())[-1] == Final("Close the door, please.")


def test_a_sound_just_before_something_is_written_is_one_over_the_answer_to_that() -> None:
    hum = heard("I see.", "backchannel")
    assert follow(QUIET, Pause(500), Written(), hum, Flush())[0] == DropSound("backchannel", resume=True)
    assert follow(QUIET, Written(), Pause(500), hum, Flush())[0] == DropSound("backchannel", resume=True)
    assert Final("And how is it there?") in follow(
        QUIET, Written(), Pause(1_500), heard("And how is it there?"), Flush()
    ), "a question is one, too, while something is written"
    question = heard("And what is the time?")
    assert Interrupt() in follow(QUIET, Pause(1_500), Written(), question)
