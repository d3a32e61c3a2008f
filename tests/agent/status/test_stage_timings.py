"""The wait for an answer, divided among the stages of its turn."""

from agent.status.stage_timings import LONGEST_NAME, MOST_MOMENTS, AnswerMoments, StageTimings, stage_timings

# Said until 10.0 on the agent's clock, asked for at 10.5, first sound at 11.3, heard at 11.4. The pipeline's own clock
# stands elsewhere.
SPOKEN = AnswerMoments(asked_at=10.5, sounded_at=11.3, played_at=11.4, speech_end=10.0)
ON_GPUS = {
    "speech_end": 2.0,
    "heard": 2.56,
    "committed": 2.5,
    "created": 2.51,
    "aura_began": 2.57,
    "qwen3_tts_began": 2.72,
    "code2wav_began": 2.95,
    "qwen3_tts_first": 2.9,
    "first_text": 2.7,
    "first_pcm": 3.25,
    "first_sent": 3.26,
}


def test_each_millisecond_counts_once() -> None:
    timings = stage_timings(SPOKEN, ON_GPUS)
    assert list(timings.waited_ms.items()) == [
        ("endpointing", 500),
        ("asr", 50),
        ("aura", 140),
        ("qwen3_tts", 200),
        ("code2wav", 350),
        ("wire", 60),
        ("playback", 100),
    ]
    assert sum(timings.waited_ms.values()) == 1_400
    assert timings.took_ms == {"asr": 560, "aura": 130, "qwen3_tts": 180, "code2wav": 300}


def test_each_moment_is_counted_from_where_the_wait_begins() -> None:
    moments = stage_timings(SPOKEN, ON_GPUS).moments_ms
    assert list(moments.items()) == [
        ("speech_end", -10),
        ("committed", 490),
        ("heard", 550),
        ("aura_began", 560),
        ("first_text", 690),
        ("qwen3_tts_began", 710),
        ("qwen3_tts_first", 890),
        ("code2wav_began", 940),
        ("first_pcm", 1_240),
        ("first_sent", 1_250),
        ("asked", 500),
        ("sounded", 1_300),
        ("played", 1_400),
    ]


LONG = "n" * (LONGEST_NAME + 1)


def test_a_pipeline_can_name_so_many_moments_and_no_more() -> None:
    many = {f"stage_{number}": 3.0 + number for number in range(100)}
    moments = stage_timings(SPOKEN, {**many, "created": 2.51, LONG: 0.0}).moments_ms
    assert len(moments) == MOST_MOMENTS + 3
    assert "stage_0" in moments and not {"stage_99", LONG} & moments.keys()


def test_what_was_done_before_it_was_asked_for_was_not_waited_for_and_still_took_its_time() -> None:
    embedded = {"speech_end": 2.0, "heard": 2.1, "aura_began": 2.1, "first_text": 2.3, "tts_began": 2.31}
    timings = stage_timings(SPOKEN, {**embedded, "created": 2.5, "first_pcm": 2.8, "first_sent": 2.81})
    assert timings.waited_ms == {"endpointing": 500, "asr": 0, "aura": 0, "tts": 300, "wire": 500, "playback": 100}
    assert timings.took_ms == {"asr": 100, "aura": 200, "tts": 490}


def test_a_written_question_has_no_end_to_be_found_and_nothing_to_be_made_out() -> None:
    written = AnswerMoments(asked_at=10.5, sounded_at=11.3, played_at=11.4)
    moments = {"created": 2.5, "aura_began": 2.5, "first_text": 2.7, "tts_began": 2.7, "first_pcm": 3.2}
    timings = stage_timings(written, moments)
    assert timings.waited_ms == {"aura": 200, "tts": 500, "wire": 100, "playback": 100}
    assert timings.took_ms == {"aura": 200, "tts": 500}


def test_clocks_that_differ_make_no_wait_negative() -> None:
    late = {**ON_GPUS, "first_pcm": 9.0, "heard": 4.0}
    timings = stage_timings(SPOKEN, late)
    assert min(timings.waited_ms.values()) == 0 and sum(timings.waited_ms.values()) == 1_400


def test_of_a_pipeline_that_tells_nothing_nothing_is_known() -> None:
    assert stage_timings(SPOKEN, {}) == StageTimings()
