"""`aura-agent dev` at the real LiveKit server: code that changes is what answers next, and a running call goes on."""

import asyncio
import os
import secrets
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.base.speech import PersonVoice
from infra.bench.person.grant import Grant
from infra.bench.person.person import joined
from infra.free_ports import free_ports
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import ROOT, START_S, Stack, get
from tests.e2e.telephone_wire import HOST

pytestmark = pytest.mark.anyio

AGAIN_S = 90.0  # until the next worker has called an agent into the room
STOP_S = 30.0
APOLOGY = "Sorry, I was cut off."  # of an agent that takes over a call
POLL_S = 0.2


@asynccontextmanager
async def developing(folder: Path, environ: Mapping[str, str], health: str) -> AsyncGenerator[None]:
    """`aura-agent dev` of a copy of the code, registered; at the end somebody presses Ctrl-C."""
    for package in ("agent", "pipeline"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "dev.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "agent.main", "dev", "--log-level", "INFO"),
            cwd=folder,
            env={**environ, "PYTHONPATH": str(folder)},
            stdout=log,
            stderr=log,
        )
        try:
            await registered(health)
            yield
            process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(process.wait(), STOP_S) == 130
        except BaseException as error:
            error.add_note((folder / "dev.log").read_text(errors="replace"))
            raise
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()


async def registered(health: str) -> None:
    """Return when the worker is."""
    async with asyncio.timeout(START_S):
        while True:
            try:
                if (await get(health))["registered"]:
                    return
            except OSError:
                """It is not there yet."""
            await asyncio.sleep(POLL_S)


async def gone(health: str) -> None:
    """Return when no worker listens."""
    async with asyncio.timeout(STOP_S):
        try:
            while await get(health):
                await asyncio.sleep(POLL_S / 10)
        except OSError:
            return


async def test_what_is_changed_answers_next_and_a_running_call_goes_on(
    stack: Stack, voice: PersonVoice, ears: Recogniser, tmp_path: Path, a_room: Callable[[], str]
) -> None:
    name, room, port = f"dev-{secrets.token_hex(4)}", a_room(), free_ports(1)[0]
    keys, health = stack.keys, f"http://{HOST}:{port}/health"
    livekit = LiveKitSettings(stack.running.livekit_url, keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"], name)
    ours = {"LIVEKIT_URL": livekit.url, "AURA_AGENT_NAME": name, "AURA_AGENT_PORT": str(port)}
    environ = {**os.environ, **keys, **stack.pipeline_environ, **ours, "AURA_AGENT_IDLE_PROCESSES": "1"}
    environ.pop("AURA_AGENT_JOBS", None)
    async with developing(tmp_path, environ, health):
        grant = Grant(livekit.url, join_token(livekit, TokenRequest(room, participant_identity="ann")))
        async with joined("Ann", grant) as ann:
            await ann.greeted()
            [file] = [path for path in (tmp_path / "agent").rglob("*.py") if APOLOGY in path.read_text()]
            file.write_text(file.read_text().replace(APOLOGY, "Bananas are yellow."))
            await gone(health)
            await registered(health)

            def bananas() -> bool:
                return any("Bananas" in caption.text and caption.final for caption in ann.captions.values())

            await ann.diary.until(bananas, AGAIN_S, "what is new in the code")
            assert len(ann.agents) == 2
            assert "Paris" in ears.understand(await ann.ask(voice.say("What is the capital of France?")))
