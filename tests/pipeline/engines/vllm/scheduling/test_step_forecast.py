"""When the next step is due is foreseen by the quickest of the last steps of the same size."""

from pipeline.engines.vllm.scheduling.step_forecast import REMEMBERED, SHORTER, StepForecast


def told(*took_s: float, ahead_s: float = 0.003) -> StepForecast:
    """A forecast that knows steps of size 8, one after the other from 1.0 on, each scheduled as the last one began."""
    forecast, now = StepForecast(ahead_s), 1.0
    forecast.begin(8, now)
    for each in took_s:
        now += each
        forecast.end(now)
        forecast.begin(8, now)
    return forecast


def test_of_a_size_that_is_new_nothing_is_foreseen() -> None:
    assert told().due() == 0.0
    forecast = told(0.01)
    forecast.end(1.02)
    forecast.begin(9, 1.02)
    assert forecast.due() == 0.0


def test_a_step_is_foreseen_to_take_as_long_as_the_quickest_of_its_size() -> None:
    assert round(told(0.02, 0.01, 0.03).due(), 6) == round(1.06 + 0.01 - 0.003, 6)


def test_old_steps_are_forgotten() -> None:
    assert round(told(0.01, *[0.02] * REMEMBERED).due(), 6) == round(1.01 + 0.02 * REMEMBERED + 0.02 - 0.003, 6)


def test_a_step_that_was_scheduled_while_another_ran_begins_when_that_ends() -> None:
    forecast = told(0.01)
    forecast.begin(8, 1.012)  # two are under way
    assert forecast.due() == 0.0
    forecast.end(1.02)
    assert round(forecast.due(), 6) == round(1.02 + 0.01 - 0.003, 6)
    forecast.end(1.03)
    assert forecast.due() == 0.0, "nothing runs"


def test_after_a_step_for_which_the_next_one_came_too_late_the_next_ones_are_foreseen_to_be_shorter() -> None:
    forecast = told(0.01)
    forecast.end(1.025, is_late=True)
    forecast.begin(8, 1.025)
    assert round(forecast.due(), 6) == round(1.025 + SHORTER * 0.01 - 0.003, 6)
