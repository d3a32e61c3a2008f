"""`infra/up --profile vllm` on a machine without a GPU, with a venv and a deployment of one's own."""

import pytest

from tests.e2e.stack import Stack
from tests.e2e.test_up import PARTS
from tests.e2e.vllm.conftest import DEPLOYMENT

pytestmark = pytest.mark.anyio


async def test_all_parts_run_and_say_with_what_they_were_started(stack: Stack) -> None:
    running = stack.running
    assert [part for part in running.parts if part in PARTS] == PARTS
    options = {name: value for name, value in running.options.items() if name.startswith("--")}
    assert options == {
        "--profile": "vllm",
        "--model-dir": options["--model-dir"],
        "--stage-configs-path": str(DEPLOYMENT),
        "--vllm-venv": str(stack.layout.vllm_venv.resolve()),
    } | dict.fromkeys(["--phone"] * ("livekit-sip" in running.parts), "")
    ready = await stack.ready()
    assert ready["ready"] and ready["max_sessions"] == 2
    assert list(ready["busy"]) == ["asr", "aura", "qwen3_tts", "code2wav"]
