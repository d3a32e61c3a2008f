"""One stack for all tests here, a voice, ears, and a second agent that can be observed."""

import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.bench.base.speech import PersonVoice
from tests.collector import collector
from tests.e2e.exchange import Exchange, need_the_bridge
from tests.e2e.exchange import exchange as open_exchange
from tests.e2e.lines import Line
from tests.e2e.logs import Traced, check_logs, check_traces
from tests.e2e.observed import Observed, observed_agent
from tests.e2e.phones import CALLER_ID, OPERATOR, House, telephones
from tests.e2e.recogniser import Recogniser
from tests.e2e.scripted_agent import ScriptedPage, scripted_page
from tests.e2e.seeing import SeeingAgent, seeing_agent
from tests.e2e.stack import ROOT, Stack, stack_in
from tests.e2e.telephone_wire import HOST, free_port
from tests.infra.reruns import pytest_terminal_summary

__all__ = ("pytest_terminal_summary",)

EMPTY_S = 30.0  # in which calls that were hung up are over everywhere
GRACE_S = 4  # for which the agent waits for somebody who has left; by default it is a minute
OUT = Path(__file__).parent / "out"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.flaky(reruns=1))  # real time on a machine that has other work, too


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time."""
    return "asyncio", {}


@pytest.fixture(scope="session")
def environ() -> Mapping[str, str]:
    """In which everything here is started."""
    home = os.environ.get("AURA_HOME") or str(ROOT / ".aura")
    return {**os.environ, "AURA_HOME": home, "AURA_AGENT_GRACE_S": str(GRACE_S), "AURA_AGENT_DRAIN_S": "0"}


@pytest.fixture(scope="session")
async def traced() -> AsyncGenerator[Traced]:
    """Where the stack sends its spans, and those that have come."""
    async with collector() as found:
        yield found


@pytest.fixture(scope="session")
async def stack(
    environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory, voice: PersonVoice, traced: Traced
) -> AsyncGenerator[Stack]:
    """Its logs hold no secret and nothing that was said, whatever the tests have done with it, nor do its traces."""
    url, sent = traced
    environ = {**environ, "OTEL_EXPORTER_OTLP_ENDPOINT": url}
    phone = (Path(environ["AURA_HOME"]) / "bin" / "livekit-sip").exists()
    async with stack_in(tmp_path_factory.mktemp("stack"), environ, phone=phone) as running:
        yield running
    check_logs(running, voice.sentences)
    check_traces(running, voice.sentences, sent)


@pytest.fixture(scope="session")
async def observed(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Observed]:
    async with observed_agent(stack, tmp_path_factory.mktemp("observed")) as agent:
        yield agent


@pytest.fixture(scope="session")
async def seeing(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[SeeingAgent]:
    async with seeing_agent(stack, tmp_path_factory.mktemp("seeing")) as agent:
        yield agent


@pytest.fixture(scope="session")
async def scripted(
    environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ScriptedPage]:
    """The page, with no stack and no model behind it."""
    async with scripted_page(Path(environ["AURA_HOME"]), tmp_path_factory.mktemp("scripted")) as running:
        yield running


@pytest.fixture(scope="session")
def voice() -> PersonVoice:
    return PersonVoice()


@pytest.fixture(scope="session")
def ears(environ: Mapping[str, str]) -> Recogniser:
    return Recogniser(Path(environ["AURA_HOME"]) / "models" / "whisper-base")


@pytest.fixture
def a_room() -> Callable[[], str]:
    """Names that nobody has used."""
    return lambda: f"test-{secrets.token_hex(4)}"


@pytest.fixture(scope="session")
def out() -> Path:
    """Where pictures for people to look at are put."""
    OUT.mkdir(exist_ok=True)
    return OUT


@pytest.fixture(scope="session")
def operator() -> Line:
    """Who answers a transferred call, and whoever else is rung up."""
    return Line(OPERATOR, port=free_port())


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    """Telephones; whoever is still on one when a test ends hangs up."""
    async with telephones(tmp_path) as house:
        yield house


@pytest.fixture
async def exchange(house: House, switchboard: Exchange) -> AsyncGenerator[Exchange]:
    """What telephones reach, where it does not matter what is said. It is empty before the next test."""
    yield switchboard
    house.hang_up()
    await switchboard.empty(EMPTY_S)


@pytest.fixture(scope="session")
async def switchboard(
    operator: Line, environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Exchange]:
    """Its carrier and its operator are one telephone, if there is one just then."""
    home = Path(environ["AURA_HOME"])
    need_the_bridge(home)
    address = f"{HOST}:{operator.port}"
    ours = {"AURA_SIP_OPERATOR": f"sip:{operator.number}@{address}", "AURA_SIP_CARRIER": address}
    ours |= {"AURA_SIP_CALLER_ID": CALLER_ID, "AURA_AGENT_IDLE_PROCESSES": "2"}
    async with open_exchange(tmp_path_factory.mktemp("exchange"), home, {**environ, **ours}) as running:
        yield running
