"""What many cases come to, and what is kept of them."""

import json
from pathlib import Path

from infra.bench.base.speech import silence
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.report import plain, read_judged, table
from infra.bench.turn_taking.sounds.cases import Case

STOP = Case("interruption", "Stop.", "en", silence(0.4), 0.0, 0.0, 0)
LATE = [(STOP, Outcome("stopped", 0.5, stopped_s=0.5)), (STOP, Outcome("stopped", 0.5, stopped_s=2.5))]


def test_an_answer_that_goes_on_for_a_while_before_it_stops_is_seen_in_the_figures() -> None:
    rates = plain(LATE)["rates"]["interruption"]
    assert (rates["right"], rates["silence_ms"], rates["stopped_s"]) == (2, [500, 500], [0.5, 2.5])
    assert "0.50 / 2.50" in table(LATE)


def test_what_was_kept_is_read_again_though_it_is_of_a_time_before_that_was_told(tmp_path: Path) -> None:
    kept = plain(LATE)
    del kept["cases"][0]["stopped_s"]
    file = tmp_path / "report.json"
    file.write_text(json.dumps(kept))
    assert [outcome.stopped_s for _, outcome in read_judged([file])] == [None, 2.5]
