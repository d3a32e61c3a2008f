"""A call in a real room is recorded: what lies in both channels, and when, is what was said and what was heard."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from agent.records.broken_off import WHY
from agent.records.ogg_file import RATE
from agent.records.record_folder import RecordFolder
from agent.records.record_keeper import LOST_S
from agent.records.timeline import read_timeline
from infra.bench.base.speech import RATE as SPOKEN_RATE
from infra.bench.base.speech import REPLY_RATE, PersonVoice
from infra.bench.person.person import READY_S, joined
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.agents import WORK, NamedAgent
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.recorded import ALIKE, QUIET, channels, ended, found, loudest_outside, outline
from tests.e2e.stack import ROOT, Stack

pytestmark = pytest.mark.anyio
NAME = "aura-recorded"
WRITTEN_S = 3.0  # until a page of sound has been written
APART_S = 0.6  # by which the channels may differ: a way through the network, and back


@pytest.fixture
async def recorded(stack: Stack, tmp_path: Path) -> AsyncGenerator[tuple[NamedAgent, Path]]:
    """An agent that records, and its folder; its log lies beside it."""
    ports, agent, records = choose_ports({}), NamedAgent(stack, NAME), tmp_path / "records"
    pipeline = stack.pipeline_environ["AURA_PIPELINE_URL"]
    environ = agent.environ(ports, pipeline, **stack.pipeline_environ, AURA_RECORDS=str(records))
    async with child(WORK, cwd=ROOT, env=environ, log=tmp_path / "agent.log", stop_s=STOP_S):
        await healthy(f"http://{LOOPBACK}:{ports.agent}/", tmp_path / "agent.log")
        yield agent, records


async def test_the_record_of_a_room_holds_what_was_said_and_heard_when_it_was(
    recorded: tuple[NamedAgent, Path], voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    agent, records = recorded
    room, question = a_room(), voice.say("What is the capital of France?")
    async with joined("Ann", agent.grant(room, "ann")) as ann:
        await ann.greeted()
        assert ann.told("aura.record") == ["on"]
        began, asked = ann.say(question)
        spoke_at, until = await began, await asked
        await ann.answered(until)
        answer, answer_at = ann.heard.since(until), until
        said = ann.said("agent")
    record, told = await ended(records, room)
    person, heard = channels(record)
    assert told.sound and told.sound.lost == 0 and told.reason == ""
    assert person.size == heard.size == told.sound.samples
    assert told.ms and abs(told.ms - 1_000 * person.size / RATE) < 1_500

    spoken_from, alike = found(outline(person, RATE), outline(question, SPOKEN_RATE))
    assert alike > ALIKE, "the question"
    heard_from, alike = found(outline(heard, RATE), outline(answer, REPLY_RATE))
    assert alike > ALIKE, "the answer"
    assert abs((heard_from - spoken_from) - (answer_at - spoke_at)) < APART_S, "both lie on one clock"

    assert loudest_outside(told, heard) < QUIET, "outside its marks the agent is silent"
    (asked_item,) = [item for item in told.items if item.who == "person"]
    assert "France" in asked_item.text and asked_item.from_ms is not None
    assert abs(asked_item.from_ms / 1_000 - spoken_from) < APART_S
    answered = [item for item in told.items if item.who == "agent"]
    assert "Paris" in answered[-1].text and len(answered) == len(said)
    assert answered[-1].from_ms is not None and answered[-1].from_ms / 1_000 > spoken_from
    assert told.people == ("ann",) and told.timings


async def test_the_record_of_an_agent_that_dies_is_ended_as_broken_off(
    recorded: tuple[NamedAgent, Path], a_room: Callable[[], str]
) -> None:
    agent, records = recorded
    room = a_room()
    async with joined("Lee", agent.grant(room, "lee")) as lee:
        await lee.greeted()
        await asyncio.sleep(WRITTEN_S)
        (line,) = re.findall(rf"call begun.* room={room}\b.*", (records.parent / "agent.log").read_text())
        os.kill(int(re.findall(r"\bpid=(\d+)", line)[0]), signal.SIGKILL)
        await lee.diary.until(lambda: len(lee.agents) == 2, READY_S, "another agent")
        await asyncio.sleep(LOST_S + 5)
    await ended(records, room)
    second, first = RecordFolder(records).of_room(room)
    broken, whole = read_timeline(first), read_timeline(second)
    assert (broken.reason, whole.reason) == (WHY, "")
    assert broken.items and broken.sound and broken.sound.samples == channels(first).shape[1] > 0
