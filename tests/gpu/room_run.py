"""Serves the pipeline, opens rooms in front of it, and has callers talk in them while there is time."""

import asyncio
import secrets
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from infra.bench.base.figures import percentile
from infra.bench.base.speech import Sound
from infra.free_ports import LOOPBACK
from infra.launcher.supervise.health import until_healthy
from pipeline.realtime.client import readiness
from tests.gpu.chain_run import Place, measured, served
from tests.gpu.chain_server import memory_rows, versions
from tests.gpu.lateness import own_lateness
from tests.gpu.room_caller import Call, Patience, converse, one_way
from tests.gpu.room_stack import RoomStack, room_stack
from tests.gpu.room_table import HeardTurn, figures, step_rows, told_rows, verdict
from tests.gpu.sections import Report

STOP_S = 25.0  # of the limit, for the end
START_S = 60.0  # of a pipeline of scripted engines
LOOK_S = 0.02
LEAVE_S = 15.0  # for which those who have hung up are waited for
ALONE = 6  # sounds that are sent through a room without an agent


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """What is measured.

    Attributes:
        rooms: At once, one case after the other.
        turns: Questions of each caller in a case of one room, and of several.
        questions: PCM16, 48 kHz mono, that ends with the last word.
        full_stops: The tap ends the sentences of a recogniser that ends none.
    """

    livekit_server: Path
    rooms: Sequence[int]
    turns: tuple[int, int]
    questions: Sequence[Sound]
    patience: Patience
    full_stops: bool = False


async def run(report: Report, place: Place, plan: RoomPlan, within_s: float) -> None:
    clock = asyncio.get_running_loop().time
    ends = clock() + within_s - STOP_S
    report.add("versions", [versions()])
    async with served(report, "start", place, ends) as chain:
        if chain:
            await _talk(report, chain.url, plan, ends)
            report.add("memory at the end", memory_rows(chain))
    report.add("end", [{"seconds": within_s - STOP_S - (ends - clock())}])


async def run_scripted(report: Report, plan: RoomPlan, within_s: float) -> None:
    """The same in front of scripted engines."""
    ends = asyncio.get_running_loop().time() + within_s - STOP_S
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    command = ("-m", "tests.gpu.room_scripted", "--port", str(port))
    process = await asyncio.create_subprocess_exec(sys.executable, *command)
    try:
        url = f"http://{LOOPBACK}:{port}"
        async with asyncio.timeout(START_S):
            await until_healthy(f"{url}/ready")
        await _talk(report, url, plan, ends)
    finally:
        process.kill()
        await process.wait()


async def _talk(report: Report, pipeline: str, plan: RoomPlan, ends: float) -> None:
    async with room_stack(plan.livekit_server, pipeline, report.path, full_stops=plan.full_stops) as stack:
        await measured(report, "webrtc alone", partial(_alone, report, stack, plan), ends)
        for rooms in plan.rooms:
            await _until_free(pipeline, rooms, ends)
            await measured(report, f"rooms {rooms}", partial(_case, report, stack, plan, rooms), ends)


async def _case(report: Report, stack: RoomStack, plan: RoomPlan, rooms: int) -> None:
    """What was heard until time ran out is told."""
    heard: list[HeardTurn] = []
    late: list[float] = []
    name, clock = f"rooms {rooms}", asyncio.get_running_loop().time
    began = clock()
    try:
        async with own_lateness(late), asyncio.TaskGroup() as tasks:
            for room in range(rooms):
                grant = stack.grant(f"room-{secrets.token_hex(4)}", f"caller-{room}")
                turns = plan.turns[0] if rooms == 1 else plan.turns[1]
                call = Call(room, grant, plan.questions, turns, plan.patience, seed=rooms)
                tasks.create_task(_called(report, call, heard), name=f"caller {room}")
    finally:
        lateness = {"loop_late_ms_p95": percentile(late, 95) * 1_000 if late else 0.0, "took_s": clock() - began}
        report.add(name, [{"rooms": rooms, **figures(heard), **lateness}])
        if rooms == 1:
            report.add(f"{name}: verdict", [verdict(heard)])
        report.add(f"{name}: steps", step_rows(heard, stack.tapped()))
        report.add(f"{name}: what the agent says", told_rows(heard))


async def _called(report: Report, call: Call, heard: list[HeardTurn]) -> None:
    """A call that fails is told, and the others go on."""
    try:
        await converse(call, heard)
    except Exception as error:
        notes = "\n".join(getattr(error, "__notes__", ()))[-3_000:]
        told = {"room": call.room, "error": f"{type(error).__name__}: {error}"[:500], "saw": notes}
        report.add(f"caller {call.room} of {call.seed}: failed", [told])


async def _alone(report: Report, stack: RoomStack, plan: RoomPlan) -> None:
    name = f"alone-{secrets.token_hex(4)}"
    mouth, ear = (stack.grant(name, who, agent=False) for who in ("mouth", "ear"))
    took = [1_000 * seconds for seconds in await one_way((mouth, ear), plan.questions[0], ALONE)]
    if took:
        report.add("webrtc alone", [{"n": len(took), "p50": median(took), "most": max(took)}])


async def _until_free(pipeline: str, rooms: int, ends: float) -> None:
    """The agents of the case before have left their places."""
    clock = asyncio.get_running_loop().time
    ends = min(ends, clock() + LEAVE_S)
    while clock() < ends and (await readiness(pipeline)).free_sessions < rooms:  # noqa: ASYNC110 - only by asking
        await asyncio.sleep(LOOK_S)
