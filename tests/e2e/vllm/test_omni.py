"""Qwen3-Omni in a room, as a person starts it: it greets, hears a question, answers aloud, and is interrupted."""

from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, joined
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_omni import write_omni
from tests.e2e.stack import Stack
from tests.e2e.vllm.conftest import stack_on_vllm
from tests.e2e.vllm.engines import at_rest, counted
from tests.e2e.vllm.obedient import HEARS

pytestmark = pytest.mark.anyio

DEPLOYMENT = Path(__file__).parents[2] / "contract" / "vllm" / "omni.yaml"
QUESTION, STOP = "What is the capital of France?", "Please stop that now and listen to me"


@pytest.fixture(scope="module")
async def stack(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stack]:
    async with stack_on_vllm(environ, tmp_path_factory.mktemp("omni"), "qwen3_omni", DEPLOYMENT, write) as running:
        yield running


def write(models: Path) -> None:
    """The voice speaks as long as it may: 8 s."""
    write_omni(models / "omni", endless=True)
    write_recogniser(models / "asr")


async def test_a_question_is_heard_and_answered_aloud_and_who_speaks_over_the_answer_ends_it(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    before, stop = await counted(stack, "aura_cancel_seconds_count", stage="talker"), voice.say(STOP)
    async with joined("Ann", await stack.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        greeted = ann.heard.stretches[-1].ended
        _, ended = ann.say(voice.say(QUESTION))
        await ended
        await ann.diary.until(lambda: ann.heard.loud_s(greeted) > 0.5, ANSWER_S, "some of the answer")
        _, ended = ann.say(stop)
        await ended
        await ann.diary.until(lambda: not ann.heard.sounds, ANSWER_S, "silence")
        heard = await ann.captioned("user")
        assert any(word.strip() in heard for word in HEARS), "the recogniser beside the answer has written it down"
        assert any('"interrupted"' in each for each in ann.told("aura.decision"))
    await at_rest(stack)
    assert await counted(stack, "aura_cancel_seconds_count", stage="talker") > before
