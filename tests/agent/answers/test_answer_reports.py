"""What people are told of an answer that has ended: that it failed, why there is none, or that all is well again."""

import asyncio
from typing import Any

import msgspec
import pytest

from agent.answers.answer_cuts import AnswerCuts
from agent.answers.answer_reports import AnswerReports
from agent.livekit.connection import PipelineEndpoint
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.persona import AURA
from agent.settings.agent import PipelineSettings
from agent.status.attributes import AgentStatePublisher
from agent.status.latency import LatencyTracker
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline
from tests.agent.livekit.test_session import Listener

pytestmark = pytest.mark.anyio
FAILED = ResponseOutcome("response_1", "failed", error="tts: broken", reason="engine_failed")


async def told(*outcomes: ResponseOutcome) -> tuple[list[dict[str, Any]], list[str]]:
    """The decisions and the errors that are shown when answers end like that."""
    notes = Notes()
    publisher = AgentStatePublisher(notes)
    endpoint = PipelineEndpoint(PipelineSettings("http://pipeline", "key"), FakePipeline().connect)
    model = AuraRealtimeModel(endpoint, PipelineSessionSettings(AURA, spoken=True, camera=False), Listener())
    reports = AnswerReports(model, publisher, AnswerCuts(model, publisher), LatencyTracker())
    async with asyncio.TaskGroup() as tasks:
        publishing = tasks.create_task(publisher.run())
        for outcome in outcomes:
            reports.ended(outcome)
            await asyncio.sleep(0.5)
        publishing.cancel()
    decisions = [msgspec.json.decode(value) for _, value in notes.of("aura.decision")]
    return decisions, [value for _, value in notes.of("aura.error") if value]


async def test_each_answer_that_fails_is_told_though_it_is_in_the_same_words() -> None:
    decisions, errors = await told(FAILED, FAILED)
    assert [decision["what"] for decision in decisions] == ["error", "error"]
    assert {*errors} == {"I could not answer that. Please try again."}
    assert decisions[0]["reason"] == "engine_failed"


async def test_nobody_is_told_of_a_remark_that_failed() -> None:
    remark = ResponseOutcome("response_1", "failed", error="tts: broken", reason="engine_failed", offer_id="offer_1")
    assert await told(remark) == ([], [])


async def test_a_silence_is_told_with_its_reason_and_how_long_somebody_waited_for_it() -> None:
    silence = ResponseOutcome("response_1", "completed", decision="silent", reason="no_words", waited_ms=700)
    ((decision,), errors) = await told(silence)
    assert (decision["what"], decision["reason"]) == ("silent", "no_words")
    assert decision["figures"] == {"response_id": "response_1", "waited_ms": 700} and errors == []


async def test_who_waits_for_no_answer_has_waited_for_no_time() -> None:
    ((decision,), _) = await told(ResponseOutcome("response_1", "completed", decision="silent"))
    assert (decision["reason"], decision["figures"]) == ("model", {"response_id": "response_1"})


async def test_an_answer_that_was_cut_in_writing_is_told_as_that() -> None:
    ((decision,), _) = await told(ResponseOutcome("response_1", "cancelled", cut=True))
    assert (decision["what"], decision["reason"]) == ("interrupted", "speech")
