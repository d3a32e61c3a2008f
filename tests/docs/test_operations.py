"""`docs/operations.md` and `docs/phones.md` name every metric, attribute and variable that there is, and no other."""

import ast
import re
from collections.abc import Iterator
from typing import get_args

from prometheus_client.metrics import MetricWrapperBase

from agent.floor.quiet_wishes import PHRASES
from agent.status import attributes
from agent.status.worker_figures import WorkerFigures
from agent.turns.sound_record import SoundRecord
from agent.turns.tracked_sound import Reason
from agent.web.about import InstallationAbout
from pipeline.runtime.metrics import Metrics
from pipeline.types.events.response_events import Silence
from tests.docs.tables import DOCS, ROOT, names, tables

OPERATIONS, PHONES = DOCS / "operations.md", DOCS / "phones.md"
VARIABLE = re.compile(r"(AURA|LIVEKIT|HF)_[A-Z0-9_]*[A-Z0-9]")
ATTRIBUTE = re.compile(r"aura\.[a-z]+")


def test_every_metric_is_there_with_its_type_and_labels_and_no_other() -> None:
    written = {
        (names(metric)[0], type_, tuple(names(labels))) for metric, type_, labels, _ in tables(OPERATIONS)["Metrics"]
    }
    assert written == set(metrics())


def test_every_attribute_of_the_agent_is_there_and_no_other() -> None:
    shown = {name for row in tables(OPERATIONS)["What the agent shows"] for name in names(row[0])}
    assert shown == set(filter(ATTRIBUTE.fullmatch, strings("agent/status")))
    assert attributes.CONNECTION in shown


def test_every_reason_of_a_decision_and_every_figure_of_a_sound_is_there() -> None:
    written = {name for row in tables(OPERATIONS)["Why it decided so"] for name in names(row[0])}
    sounds = SoundRecord()
    sounds.onset(0.0, goes_on=False)
    sounds.label(1.0, "item", 900)
    sounds.pause(1.0)
    assert {*get_args(Reason), *get_args(Silence), *attributes.SILENCES, *sounds.figures(2.0)} - written == set()


def test_every_variable_is_there_and_no_other() -> None:
    cells = [row[0] for page in (OPERATIONS, PHONES) for rows in tables(page).values() for row in rows]
    written = {name for cell in cells for name in names(cell) if VARIABLE.fullmatch(name)}
    code = strings("agent", "pipeline", "infra")
    assert {name for name in code if VARIABLE.fullmatch(name)} - written == set()
    assert written - {name.group() for text in code for name in VARIABLE.finditer(text)} == set()


def test_every_phrase_that_asks_for_quiet_is_there_and_no_other() -> None:
    rows = tables(OPERATIONS)["Speaking up"]
    assert {names(code)[0]: (tuple(names(quiet)), tuple(names(again))) for code, quiet, again in rows} == PHRASES


def test_every_decision_of_the_agent_is_there_and_no_other() -> None:
    (row,) = (row for row in tables(OPERATIONS)["What the agent shows"] if names(row[0]) == ["aura.decision"])
    assert {name for name in names(row[1]) if name.isidentifier()} == set(get_args(attributes.What))


def test_every_field_that_the_page_is_told_of_an_installation_is_there_and_no_other() -> None:
    rows = tables(OPERATIONS)["What the page says of an installation"]
    assert {name for row in rows for name in names(row[0])} == set(InstallationAbout.__struct_fields__)


def metrics() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The names as they stand on the page, where a counter's ends with `_total`."""
    for collector in (*vars(Metrics()).values(), *vars(WorkerFigures()).values()):
        if isinstance(collector, MetricWrapperBase):
            (family,) = collector.describe()
            name = f"{family.name}_total" if family.type == "counter" else family.name
            yield name, family.type, tuple(collector._labelnames)


def strings(*folders: str) -> set[str]:
    """The strings in the code of these folders."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
