"""The numbers behind what is made of a sound."""

from agent.turns.sound_record import SoundRecord


def test_nothing_is_known_before_the_first_sound() -> None:
    record = SoundRecord()
    record.pause(1.0)
    record.label(1.0, "item_1", 400)
    record.audible(1.0, True)
    record.audible(2.0, False)
    assert record.figures(3.0) == {}


def test_a_sound_is_as_long_as_it_is_heard() -> None:
    record = SoundRecord()
    record.onset(1.0, goes_on=False)
    assert record.figures(1.4) == {"sound_ms": 400, "over_agent_ms": 0}
    record.pause(1.5)
    assert record.figures(2.0) == {"sound_ms": 500, "over_agent_ms": 0, "since_pause_ms": 500}


def test_a_pause_within_it_belongs_to_it() -> None:
    record = SoundRecord()
    record.onset(1.0, goes_on=False)
    record.pause(1.5)
    record.onset(2.0, goes_on=True)
    assert record.figures(2.5) == {"sound_ms": 1500, "over_agent_ms": 0}
    record.onset(3.0, goes_on=False)
    assert record.figures(3.5)["sound_ms"] == 500


def test_its_label_took_as_long_as_it_was_waited_for() -> None:
    record = SoundRecord()
    record.onset(1.0, goes_on=False)
    record.label(1.4, "item_1", 300)
    record.pause(1.5)
    assert record.figures(1.6) | {"label_ms": 0, "label_audio_ms": 300} == record.figures(1.6)
    record.label(2.1, "item_1", 500)
    assert record.figures(2.2) | {"label_ms": 600, "label_audio_ms": 500} == record.figures(2.2)


def test_only_what_was_said_while_the_agent_was_heard_is_over_it() -> None:
    record = SoundRecord()
    record.audible(0.0, True)
    record.onset(1.0, goes_on=False)
    record.audible(1.2, False)
    record.audible(1.6, True)
    record.pause(2.0)
    assert record.figures(9.0)["over_agent_ms"] == 600
    record.audible(3.0, False)
    assert record.figures(9.0)["over_agent_ms"] == 600
    record.onset(10.0, goes_on=False)
    assert record.figures(11.0)["over_agent_ms"] == 0


def test_what_is_still_told_of_the_sound_before_is_no_label_of_this_one() -> None:
    record = SoundRecord()
    record.onset(1.0, goes_on=False)
    record.label(1.4, "item_1", 300)
    record.pause(1.5)
    record.onset(3.0, goes_on=False)
    record.label(3.1, "item_1", 500)
    assert "label_ms" not in record.figures(3.2)
    record.label(3.3, "item_2", 200)
    assert record.figures(3.4)["label_audio_ms"] == 200


def test_what_the_judges_of_its_end_say_counts_until_the_person_goes_on() -> None:
    record = SoundRecord()
    record.judged(True, True)
    record.onset(1.0, goes_on=False)
    record.pause(1.5)
    record.judged(True, None)
    assert record.figures(2.0) == {"sound_ms": 500, "over_agent_ms": 0, "since_pause_ms": 500, "sound_over": "yes"}
    record.onset(2.0, goes_on=True)
    assert "sound_over" not in record.figures(2.1)
    record.judged(False, True)
    assert record.figures(2.1).items() >= {"sound_over": "no", "words_over": "yes"}.items()
    record.onset(3.0, goes_on=False)
    assert "words_over" not in record.figures(3.1)
