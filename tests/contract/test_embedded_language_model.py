"""The real language model: llama.cpp with the smaller of the models."""

import asyncio
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.base import Engine
from pipeline.engines.llamacpp.engine import LlamaCppEngine
from pipeline.engines.llamacpp.gguf_vocabulary import read_control_tokens
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk, TokenUsage
from tests.contract.embedded import MODULE_BACKEND, all_of, once, seconds_to_close, ticks_a_second
from tests.supervised import supervised

pytestmark = pytest.mark.contract

SMALL = "smollm2-135m-instruct"
CONTEXT = 256  # tokens of a slot
PREAMBLE = (ChatMessage("system", "You are a kind assistant. You answer in one short sentence. " * 5),)
STORY = "Tell me a very long story about the sea. "
LONG = STORY * 12  # it takes a second or two to read


def chat(text: str, salt: str = "a", limit: int = 24) -> ChatPrompt:
    return ChatPrompt((*PREAMBLE, ChatMessage("user", text)), salt, limit)


async def opened(
    models_dir: Path,
    slots: int,
    model: str = SMALL,
    known: tuple[ChatPrompt, ...] = (),
    learn_s: float = 60.0,
) -> LlamaCppEngine:
    return await LlamaCppEngine.open(
        models_dir,
        model=model,
        fallback=model,
        threads=1,
        prompt_threads=1,
        context=CONTEXT,
        slots=slots,
        preamble=PREAMBLE,
        known=known,
        learn_s=learn_s,
    )


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def models_dir(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a shelf of its own for what was read: the one of the installation has room for what others read there."""
    folder = tmp_path_factory.mktemp("models")
    (folder / SMALL).symlink_to(models_dir / SMALL)
    return folder


@pytest.fixture(scope="module")
async def llama(anyio_backend: object, models_dir: Path) -> AsyncGenerator[LlamaCppEngine, None]:
    engine = await opened(models_dir, slots=2)
    yield engine
    await engine.aclose()


@dataclass
class Shelf:
    """Opens engines, and remembers their processes."""

    opened: list[Process] = field(default_factory=list)

    @property
    def newest(self) -> Process:
        return self.opened[-1]

    async def open(self, models_dir: Path) -> LlamaCppEngine:
        engine = await opened(models_dir, slots=1)
        self.opened.append(engine._server.process.child)
        return engine


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


async def failed(engine: Engine[ChatPrompt, TextChunk], prompt: ChatPrompt) -> str:
    """Why a request was not served."""
    with pytest.raises(EngineError) as error:
        await all_of(engine, prompt)
    return str(error.value)


async def written(engine: Engine[ChatPrompt, TextChunk], prompt: ChatPrompt) -> str:
    return "".join([piece.text for piece in await all_of(engine, prompt)])


async def seconds_to_first(engine: LlamaCppEngine, prompt: ChatPrompt) -> float:
    """From the prompt to the first piece of its answer; the rest is not waited for."""
    clock = asyncio.get_running_loop().time
    began = clock()
    pieces = engine.generate("test", once(prompt))
    await anext(pieces)
    seconds = clock() - began
    await pieces.aclose()
    return seconds


async def computed_for(engine: LlamaCppEngine, prompt: ChatPrompt) -> int:
    """Tokens of the prompt that had to be read before its answer began."""
    usage = await usage_of(engine, prompt)
    return usage.prompt - usage.cached


async def usage_of(engine: Engine[ChatPrompt, TextChunk], prompt: ChatPrompt) -> TokenUsage:
    *_, last = await all_of(engine, prompt)
    assert last.usage
    return last.usage


async def test_an_answer_comes_in_pieces_without_space_in_front(llama: LlamaCppEngine) -> None:
    pieces = await all_of(llama, chat("What is the capital of France?"))
    assert len(pieces) > 3
    assert len("".join(piece.text for piece in pieces)) > 10
    assert not pieces[0].text.startswith(" ")


async def test_what_is_too_much_for_a_small_model_is_answered_plainly(llama: LlamaCppEngine) -> None:
    plain = replace(chat("What do you see?"), plain_answer="I see a cat.")
    assert await written(llama, plain) == "I see a cat."


async def test_no_more_than_the_limit_is_written(llama: LlamaCppEngine) -> None:
    *pieces, last = await all_of(llama, chat(STORY, limit=5))
    assert 1 <= len(pieces) <= 5
    assert last.usage and last.usage.written == 5
    assert last.finish_reason == "length"
    *_, last = await all_of(llama, chat("Say yes.", limit=100))
    assert last.finish_reason == "stop"
    assert await all_of(llama, chat(STORY, limit=0)) == []


async def test_an_answer_that_is_cancelled_leaves_the_engine_idle_within_a_tenth_of_a_second(
    llama: LlamaCppEngine,
) -> None:
    closing = []
    for number in range(5):
        closing.append(await seconds_to_close(llama, chat(STORY, limit=200), after_s=0.5 + 0.03 * number))
        assert await llama.busy() == 0
    assert min(closing) < 0.1


async def test_a_prompt_that_is_cancelled_before_its_first_word_is_dropped(llama: LlamaCppEngine) -> None:
    whole = await seconds_to_first(llama, chat(f"whole {LONG}"))
    for after_s in (0.0, 0.001, 0.01, 0.1):
        assert await seconds_to_close(llama, chat(f"{after_s} {LONG}"), after_s) < whole / 2
        assert await llama.busy() == 0
    assert await written(llama, chat("Say hello."))


async def test_the_engine_is_busy_while_it_writes(llama: LlamaCppEngine) -> None:
    pieces = llama.generate("test", once(chat(STORY, limit=200)))
    await anext(pieces)
    assert await llama.busy() == 1
    await pieces.aclose()
    assert await llama.busy() == 0


async def test_callers_keep_their_caches_and_inherit_nobodys(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=2)
    first = await computed_for(engine, chat(LONG, "a"))
    await computed_for(engine, chat(LONG, "b"))
    again = await computed_for(engine, chat(LONG, "a"))
    stranger = await computed_for(engine, chat(LONG, "c"))  # takes over the slot of b
    still = await computed_for(engine, chat(LONG, "a"))
    await engine.aclose()
    assert first == stranger > 100, "the preamble alone is found"
    assert again == still == 1, "none comes after nothing"


async def test_what_is_read_ahead_need_not_be_read_again(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    first = await computed_for(engine, chat(f"1. {LONG}"))
    assert await all_of(engine, chat(f"2. {LONG[:-20]}", limit=0)) == []
    again = await computed_for(engine, chat(f"2. {LONG}"))
    await engine.aclose()
    assert again < 20 < 100 < first


async def test_what_was_read_before_a_cancel_stays_read(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    seconds = await seconds_to_first(engine, chat(f"whole {LONG}"))
    begun = await begun_of(engine, seconds)
    again, other = [await computed_for(engine, chat(f"{number}. {LONG}")) for number in (begun, "3")]
    await engine.aclose()
    assert again < other


async def begun_of(engine: LlamaCppEngine, seconds: float) -> str:
    """The name of a prompt that was read in part, if a whole one took so long a moment ago: now it may take less."""
    for share in (0.8, 0.4, 0.2):
        try:
            await seconds_to_close(engine, chat(f"{share}. {LONG}"), seconds * share)
        except ExceptionGroup:
            continue
        return str(share)
    raise AssertionError("a prompt is read five times as fast as the one before it")


async def test_a_conversation_that_loses_its_oldest_part_is_not_read_again(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    past = [ChatMessage("user" if at % 2 == 0 else "assistant", f"Number {at}: {STORY}") for at in range(6)]
    first = await computed_for(engine, ChatPrompt((*PREAMBLE, *past, ChatMessage("user", "Go on.")), "a", 24))
    pruned = await computed_for(engine, ChatPrompt((*PREAMBLE, *past[2:], ChatMessage("user", "Go on.")), "a", 24))
    await engine.aclose()
    assert pruned < 20 < 80 < first


async def test_what_an_answer_took_is_counted(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    *_, first = await all_of(engine, chat("What is the capital of France?"))
    *_, again = await all_of(engine, chat("What is the capital of France?"))
    *_, other = await all_of(engine, chat("Say hello."))
    await engine.aclose()
    assert first.usage and again.usage and other.usage
    assert 60 < first.usage.cached < first.usage.prompt < 120, "the preamble had been read"
    assert 3 < first.usage.written <= 24
    assert again.usage == replace(first.usage, cached=first.usage.prompt - 1), "none comes after nothing"
    assert first.usage.cached - 3 <= other.usage.cached < other.usage.prompt < first.usage.prompt


async def test_characters_of_several_tokens_come_whole(llama: LlamaCppEngine) -> None:
    text = await written(llama, chat("Repeat after me: 🍕 你好 🎉", limit=40))
    assert text and "\ufffd" not in text


async def test_answers_of_several_callers_are_written_at_once_each_its_own(models_dir: Path) -> None:
    """What the books say that a slot has read is what was told of it, whatever its characters are made of."""
    engine = await opened(models_dir, slots=3)
    request = {"a": STORY, "b": "Repeat after me: 🍕 你好 🎉 🚀 今天天气", "c": "Count: 1️⃣ 2️⃣ 3️⃣"}
    answers = await asyncio.gather(*(all_of(engine, chat(text, caller, limit=60)) for caller, text in request.items()))
    for caller, pieces in zip(request, answers, strict=True):
        text, usage = "".join(piece.text for piece in pieces), pieces[-1].usage
        async with engine._slots.of(caller) as slot:
            assert usage and usage.written > 5
            told = await engine._server.tokenizer.text(slot.read[usage.prompt :])
        assert "\ufffd" not in text
        assert text.startswith(told.lstrip().rstrip("\ufffd")), "all but the last token"
        again = await usage_of(engine, chat(request[caller], caller, limit=1))
        assert again == TokenUsage(usage.prompt, cached=usage.prompt - 1, written=1)
    await engine.aclose()


async def test_of_two_callers_one_is_cancelled_and_the_other_goes_on(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=2)
    async with asyncio.TaskGroup() as tasks:
        goes_on = tasks.create_task(usage_of(engine, chat(STORY, "a", limit=150)))
        closing = [
            await seconds_to_close(engine, chat(f"{number}. {STORY}", "b", limit=150), after_s=0.5)
            for number in range(3)
        ]
        assert await engine.busy() == 1
    assert goes_on.result().written > 100
    assert await engine.busy() == 0
    await engine.aclose()
    assert min(closing) < 0.2


async def test_a_new_caller_need_not_wait_for_the_preamble(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    warm = await computed_for(engine, chat("Hi.", "new caller"))
    other = ChatMessage("system", "You are an honest pirate. You answer in one short sentence. " * 5)
    cold = await computed_for(engine, ChatPrompt((other, ChatMessage("user", "Hi.")), "new caller"))
    await engine.aclose()
    assert warm < 20 < 60 < cold


def asked_by(caller: str, instructions: str) -> ChatPrompt:
    """A question of a caller whose session has instructions, as every call of that client has."""
    stem = (*PREAMBLE, ChatMessage("system", instructions))
    return ChatPrompt((*stem, ChatMessage("user", "Hi.")), caller, 24, stem=len(stem))


async def test_instructions_that_another_call_had_need_not_be_read_again(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / SMALL).symlink_to(models_dir / SMALL)  # where nothing was ever read
    engine = await opened(tmp_path, slots=1)
    first = await usage_of(engine, asked_by("a", LONG))
    again = await usage_of(engine, asked_by("b", LONG))
    other = await usage_of(engine, asked_by("c", f"Never. {LONG}"))
    await engine.aclose()
    assert first.prompt - first.cached > 100, "the instructions had to be read"
    assert again.prompt - again.cached < 20, "only the question had to be read"
    assert other.cached <= first.cached + 3, "nobody else's instructions are found"

    engine = await opened(tmp_path, slots=1)
    after_a_start = await usage_of(engine, asked_by("d", LONG))
    await engine.aclose()
    assert after_a_start == again


async def test_instructions_of_a_caller_who_is_known_to_come_are_read_before(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / SMALL).symlink_to(models_dir / SMALL)
    known = asked_by("a", LONG)
    engine = await opened(tmp_path, slots=1, known=(known,))
    first = await usage_of(engine, known)
    await engine.aclose()
    assert first.prompt - first.cached < 20


async def test_a_busy_machine_starts_in_time_and_the_first_caller_reads(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / SMALL).symlink_to(models_dir / SMALL)
    known = asked_by("a", LONG)
    engine = await opened(tmp_path, slots=1, known=(known,), learn_s=0.1)
    first = await usage_of(engine, known)
    await engine.aclose()
    assert first.prompt - first.cached > 100


async def test_a_caller_who_changes_the_instructions_may_find_them_read(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / SMALL).symlink_to(models_dir / SMALL)
    engine = await opened(tmp_path, slots=2)
    for caller in "ab":
        await usage_of(engine, asked_by(caller, f"{caller} {LONG}"))
    changed = await usage_of(engine, asked_by("a", f"b {LONG}"))
    await engine.aclose()
    assert changed.prompt - changed.cached < 20


async def test_nobody_writes_a_control_token_of_the_model_by_its_name(llama: LlamaCppEngine, models_dir: Path) -> None:
    names = read_control_tokens(models_dir / SMALL / "model.gguf")
    assert {"<|im_start|>", "<jupyter_text>", "<empty_output>"} <= set(names)
    control = {(await llama._server.tokenizer.raw_tokens(name))[0] for name in names}
    assert len(control) == len(names), "each is one token where it may be"

    async def count(text: str) -> int:
        said = (ChatMessage("system", text), ChatMessage("user", text), ChatMessage("assistant", text))
        ids = await llama._server.tokenizer.tokens(llama._escaper.messages(ChatPrompt((*PREAMBLE, *said), "a")))
        return sum(each in control for each in ids)

    assert await count("".join(names)) == await count("nothing") > 0, "those of the template alone"


async def test_a_prompt_that_is_too_long_is_refused_and_the_next_one_served(llama: LlamaCppEngine) -> None:
    with pytest.raises(EngineError, match=r"the conversation is too long: \d+ tokens, 256 fit"):
        await all_of(llama, chat(STORY * 40))
    assert await written(llama, chat("Say hello."))


async def test_the_answer_ends_where_the_slot_does(llama: LlamaCppEngine) -> None:
    assert await written(llama, chat(LONG, limit=10_000))
    assert await llama.busy() == 0


async def test_the_loop_is_not_held_while_it_writes(llama: LlamaCppEngine) -> None:
    assert await ticks_a_second(llama, chat(STORY, limit=40)) > 20


async def test_a_model_process_that_is_killed_is_not_ready_at_once_and_another_one_answers(
    models_dir: Path, shelf: Shelf
) -> None:
    async with supervised("aura", partial(shelf.open, models_dir)) as it, asyncio.TaskGroup() as tasks:
        turn = tasks.create_task(failed(it.engine, chat(STORY, limit=200)))
        await asyncio.sleep(0.5)
        shelf.newest.kill()
        body = await it.until(503, within_s=1.0)
        assert body == {"ready": False, "away": ["aura"], "restarts": {"aura": 0}}
        assert "does not answer" in await turn
        assert "is being started again" in await failed(it.engine, chat("Say hello."))
        assert (await it.until(200)) == {"ready": True, "busy": {"aura": 0}, "restarts": {"aura": 1}}
        assert (await usage_of(it.engine, chat("Say hello."))).cached > 60, "the preamble had been read"


async def test_a_model_process_that_hangs_is_ended_and_another_one_answers(models_dir: Path, shelf: Shelf) -> None:
    async with supervised("aura", partial(shelf.open, models_dir)) as it, asyncio.TaskGroup() as tasks:
        turn = tasks.create_task(failed(it.engine, chat(STORY, limit=200)))
        await asyncio.sleep(0.5)
        hung = shelf.newest
        hung.send_signal(signal.SIGSTOP)
        assert (await it.ready())[1]["busy"] == {"aura": 1}, "it is said soon, though not by the engine"
        assert (await it.until(503))["away"] == ["aura"]
        assert "does not answer" in await turn
        await it.until(200)
        assert hung.returncode == -signal.SIGKILL
        assert await written(it.engine, chat("Say hello."))


async def test_closing_the_engine_ends_its_process(models_dir: Path) -> None:
    engine = await opened(models_dir, slots=1)
    await engine.aclose()
    assert engine._server.process.child.returncode == 0


async def test_a_damaged_model_is_named(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / SMALL).mkdir()
    with (models_dir / SMALL / "model.gguf").open("rb") as whole:
        (tmp_path / SMALL / "model.gguf").write_bytes(whole.read(10_000_000))
    with pytest.raises(ConfigError, match=SMALL):
        await opened(tmp_path, slots=1)


async def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{SMALL}: there is no such folder"):
        await opened(tmp_path, slots=1)
