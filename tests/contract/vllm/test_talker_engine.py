"""The Talker as the pipeline runs it: clauses in, codec frames out, vLLM in processes of its own. Times are real."""

import asyncio
import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.asking.stages import ignore
from pipeline.cli.say import say
from pipeline.engines.qwen3_tts.engine import TalkerEngine
from pipeline.engines.qwen3_tts.setup import open_talker
from pipeline.errors import AuraError, ConfigError, EngineError
from pipeline.topology.processors.aura import aura2tts
from pipeline.types.chunks import Clause, CodecChunk, TextChunk
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.embedded import MODULE_BACKEND, all_of, once
from tests.contract.vllm.cases import CASES, GOLDENS, MOST_FRAMES
from tests.contract.vllm.tiny import Kind
from tests.contract.wire_wait import PATIENCE_S
from tests.pipeline.cli.test_say import voice_of
from tests.supervised import PATIENT, supervised

pytestmark = pytest.mark.vllm

GREEDY = {"do_sample": False, "subtalker_dosample": False}
CASE = 7  # "No, thank you very much."
INSTRUCTED = 0  # "Hello there, how are you today?", calmly
CLAUSE = Clause(CASES[CASE].text, "vivian", language="english")
TEN_LANGUAGES = (
    "Good morning.", "早上好。", "おはよう。", "안녕하세요.", "Guten Morgen, schöne Grüße.", "Bonjour, ça va ?",
    "Доброе утро.", "Bom dia, irmão.", "¿Qué tal?", "Perché no?",
)  # fmt: skip
WITHOUT_SOUND = ("", " \n\t", "🎉🎊 👍🏽", "?!…", "\x00\x07\u200b")
CONTROL = "Yes\x00\x07, in\u200bdeed\x1b[2J \ud83d."


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def talker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> AsyncIterator[TalkerEngine]:
    engine = await opened(checkpoint("custom_voice"))
    yield engine
    await engine.aclose()


async def opened(folder: Path) -> TalkerEngine:
    (folder / "generation_config.json").write_text(json.dumps(GREEDY))
    return await open_talker(
        folder.parent, model=folder.name, max_sessions=4, dtype="float32", max_model_len=512,
        enforce_eager=True, block_size=32, distributed_executor_backend="uni",
    )  # fmt: skip


def frames(chunks: list[CodecChunk]) -> np.ndarray[Any, np.dtype[np.int16]]:
    return np.concatenate([chunk.frames for chunk in chunks])


async def test_a_clause_is_spoken_as_the_official_package_does(talker: TalkerEngine) -> None:
    chunks = await all_of(talker, CLAUSE)
    golden = np.load(GOLDENS)[f"case_{CASE}"]
    assert len(golden) < MOST_FRAMES
    assert np.array_equal(frames(chunks), golden)
    assert [chunk.ends for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert "".join(chunk.text for chunk in chunks) == CLAUSE.text


async def test_a_clause_in_two_parts_makes_the_same_sound(talker: TalkerEngine) -> None:
    parts = [Clause(text, "vivian", language="english") for text in ("No, thank", " you very much.")]
    chunks = await all_of(talker, *parts)
    assert np.array_equal(frames(chunks), np.load(GOLDENS)[f"case_{CASE}"])


async def test_words_that_come_one_by_one_make_the_same_sound(talker: TalkerEngine) -> None:
    async def written() -> AsyncIterator[Clause]:
        for word in ("No,", " thank", " you", " very", " much."):
            yield Clause(word, "vivian", language="english")
            await asyncio.sleep(0.03)

    chunks = [chunk async for chunk in talker.generate("words", written())]
    assert np.array_equal(frames(chunks), np.load(GOLDENS)[f"case_{CASE}"])
    assert "".join(chunk.text for chunk in chunks) == CLAUSE.text


@pytest.mark.parametrize("begun", ["N", "No", "Yes"], ids=["its first token may be another", "it is", "it is not"])
async def test_a_word_that_was_begun_before_it_was_whole_makes_the_same_sound(talker: TalkerEngine, begun: str) -> None:
    async def written() -> AsyncIterator[Clause]:
        yield Clause(begun, "vivian", language="english", is_begun=True)
        await asyncio.sleep(0.03)
        for word in ("No,", " thank", " you", " very", " much."):
            yield Clause(word, "vivian", language="english")
            await asyncio.sleep(0.03)

    chunks = [chunk async for chunk in talker.generate(f"begun {begun}", written())]
    assert np.array_equal(frames(chunks), np.load(GOLDENS)[f"case_{CASE}"])
    assert "".join(chunk.text for chunk in chunks) == CLAUSE.text
    assert not await talker.busy()


async def test_a_callers_instructions_are_read_as_the_official_package_reads_them(talker: TalkerEngine) -> None:
    case = CASES[INSTRUCTED]
    response_options = ResponseOptions(voice="vivian", voice_instructions=case.voice.instructions)
    chunks = await all_of(
        talker,
        *[
            clause
            async for clause in aura2tts(once(TextChunk(case.text)), TurnRequest(response_options=response_options))
        ],
    )
    golden = np.load(GOLDENS)[f"case_{INSTRUCTED}"]
    assert np.array_equal(frames(chunks)[: len(golden)], golden)


async def test_closing_is_a_fence(talker: TalkerEngine) -> None:
    async def clauses() -> AsyncIterator[Clause]:
        yield Clause("Is it raining and windy in the north of the country, and", "eric")
        await asyncio.Event().wait()

    async with aclosing(talker.generate("fenced", clauses())) as chunks:
        for _ in range(3):
            await anext(chunks)
        async with asyncio.timeout(PATIENCE_S):
            while not await talker.busy():  # noqa: ASYNC110 - it goes on by itself, to be 3 s ahead
                await asyncio.sleep(0.01)
    assert not await talker.busy()
    assert len(frames(await all_of(talker, CLAUSE)))


async def test_a_fault_of_one_request_spares_the_next(talker: TalkerEngine) -> None:
    with pytest.raises(EngineError, match="unknown voice `bob`"):
        await all_of(talker, Clause("Yes.", "bob"))
    assert frames(await all_of(talker, Clause("🎉", "vivian"))).size == 0
    assert len(frames(await all_of(talker, CLAUSE)))


async def test_ten_languages_and_control_characters_are_spoken(talker: TalkerEngine) -> None:
    texts = (*TEN_LANGUAGES, CONTROL)
    for text, chunks in zip(texts, await asyncio.gather(*(one(talker, text) for text in texts)), strict=True):
        spoken = frames(chunks)
        assert len(spoken)
        assert (spoken.min() >= 0) & (spoken.max() < 2_048)
        assert "".join(chunk.text for chunk in chunks) == text


async def test_what_has_no_sound_is_passed_over(talker: TalkerEngine) -> None:
    for text in WITHOUT_SOUND:
        chunks = await one(talker, text)
        assert sum(len(chunk.frames) for chunk in chunks) == 0
        assert "".join(chunk.text for chunk in chunks) == text
    assert len(frames(await all_of(talker, CLAUSE)))


async def test_ten_thousand_characters_are_spoken_sentence_by_sentence(talker: TalkerEngine) -> None:
    text = "without an end " * 667
    async with aclosing(talker.generate("long", once(Clause(text, "vivian")))) as chunks:
        ended = 0
        async for chunk in chunks:
            ended += chunk.ends
            if ended == 3:
                break
    assert not await talker.busy()
    assert len(frames(await all_of(talker, CLAUSE)))


@pytest.mark.parametrize("text", [CONTROL, "🎉 Yes. 👍🏽"], ids=["control characters", "emoji among words"])
async def test_say_makes_speech_of_every_kind_of_text_and_of_the_next_one(
    talker: TalkerEngine, tmp_path: Path, text: str
) -> None:
    voice, out = voice_of(talker), tmp_path / "out.wav"
    assert (await say(text, Clause("", "eric"), voice, out, ignore)).sound_s > 0
    golden = np.load(GOLDENS)[f"case_{CASE}"]
    assert (await say(CLAUSE.text, CLAUSE, voice, out, ignore)).sound_s == pytest.approx(0.08 * len(golden))


@pytest.mark.parametrize(
    ("text", "name", "fault"),
    [("🎉🎊", "eric", "text: there is nothing in it"), ("Yes.", "bob", "unknown voice `bob`")],
)
async def test_say_refuses_what_it_cannot_speak_and_speaks_the_next(
    talker: TalkerEngine, tmp_path: Path, text: str, name: str, fault: str
) -> None:
    voice, out = voice_of(talker), tmp_path / "out.wav"
    with pytest.raises(AuraError, match=fault):
        await say(text, Clause("", name), voice, out, ignore)
    assert (await say(CLAUSE.text, CLAUSE, voice, out, ignore)).sound_s > 0


async def test_instructions_that_leave_no_room_fail_their_request_only(talker: TalkerEngine) -> None:
    with pytest.raises(EngineError, match="instructions: 10000 characters, of which 500 have room"):
        await all_of(talker, Clause("Yes.", "vivian", instructions="Slowly, and calmly. " * 500))
    with pytest.raises(EngineError, match="a request was not served"):  # each sign is three tokens here
        await all_of(talker, Clause("Yes.", "vivian", instructions="慢" * 500))
    assert len(frames(await all_of(talker, CLAUSE)))


async def one(talker: TalkerEngine, text: str) -> list[CodecChunk]:
    return [chunk async for chunk in talker.generate(f"one-{text!r}", once(Clause(text, "eric")))]


async def test_another_models_checkpoint_is_refused(vllm_on_a_cpu: None, tmp_path: Path) -> None:
    for file in ("config.json", "vocab.json", "merges.txt", "tokenizer_config.json"):
        (tmp_path / file).write_text('{"model_type": "llama"}')
    with pytest.raises(ConfigError, match="`model_type` is 'llama', not `qwen3_tts`"):
        await open_talker(tmp_path.parent, model=tmp_path.name, max_sessions=1)


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("config.json", "cannot be read"),
        ("vocab.json", "cannot be read"),
        ("merges.txt", "merges.txt: line 1 is '{', not two tokens"),
        ("tokenizer_config.json", "cannot be read"),
    ],
)
async def test_a_file_that_is_missing_or_damaged_is_named(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path, file: str, fault: str
) -> None:
    shutil.copytree(checkpoint("small"), tmp_path / "small")
    (tmp_path / "small" / file).write_text("{")
    with pytest.raises(ConfigError, match=fault):
        await open_talker(tmp_path, model="small", max_sessions=1)
    (tmp_path / "small" / file).unlink()
    with pytest.raises(ConfigError, match=f"`{file}` is missing"):
        await open_talker(tmp_path, model="small", max_sessions=1)


async def test_weights_that_are_cut_off_or_not_there_are_refused(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path
) -> None:
    shutil.copytree(checkpoint("small"), tmp_path / "small")
    weights = tmp_path / "small" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1_000_000])
    with pytest.raises(ConfigError, match=r"model\.safetensors: cannot be read"):
        await open_talker(tmp_path, model="small", max_sessions=1)
    weights.unlink()
    with pytest.raises(ConfigError, match=r"weights missing: .* and \d+ more"):
        await open_talker(tmp_path, model="small", max_sessions=1)


async def test_a_checkpoint_that_only_clones_voices_is_refused(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path
) -> None:
    shutil.copytree(checkpoint("small"), tmp_path / "base")
    config = tmp_path / "base" / "config.json"
    config.write_text(config.read_text().replace('"tts_model_type": "custom_voice"', '"tts_model_type": "base"'))
    with pytest.raises(ConfigError, match="`tts_model_type` is `base`: voices are cloned from recordings"):
        await open_talker(tmp_path, model="base", max_sessions=1)


async def test_a_checkpoint_that_lacks_weights_is_refused_by_their_names(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path: Path
) -> None:
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "holed"
    shutil.copytree(checkpoint("small"), folder)
    weights = load_file(folder / "model.safetensors")
    del weights["talker.model.layers.1.self_attn.k_proj.weight"]
    save_file(weights | {"talker.more.weight": weights["talker.codec_head.weight"]}, folder / "model.safetensors")
    with pytest.raises(ConfigError) as error:
        await open_talker(tmp_path, model="holed", max_sessions=1)
    assert error.value.faults == [
        "weights missing: talker.model.layers.1.self_attn.k_proj.weight",
        "weights that nothing uses: talker.more.weight",
    ]


async def test_an_engine_that_hangs_is_ended_with_its_requests_and_another_one_speaks(
    vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]
) -> None:
    before = set(multiprocessing.active_children())
    async with (
        supervised("qwen3_tts", partial(opened, checkpoint("custom_voice")), PATIENT) as it,
        aclosing(it.engine.generate("hung", once(Clause("Is it raining and windy in the north?", "eric")))) as chunks,
    ):
        await anext(chunks)
        for process in set(multiprocessing.active_children()) - before:
            assert process.pid
            os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(EngineError, match="the engine has died"):
            async for _ in chunks:
                pass
        assert (await it.until(503, within_s=PATIENCE_S))["away"] == ["qwen3_tts"]
        assert (await it.until(200, within_s=PATIENCE_S))["restarts"] == {"qwen3_tts": 1}
        assert len(frames(await all_of(it.engine, CLAUSE)))


async def test_requests_of_an_engine_that_dies_fail_and_none_hangs(talker: TalkerEngine) -> None:
    """The last test of this module: nobody starts it again."""
    goes_on = asyncio.Event()

    async def pausing() -> AsyncIterator[Clause]:
        yield Clause("Is it raining and windy in the north of the country, and", "eric")
        await goes_on.wait()
        yield Clause(" is it cold?", "eric")

    async def fails(chunks: AsyncIterator[CodecChunk]) -> None:
        with pytest.raises(EngineError, match="the engine has died"):
            async for _ in chunks:
                pass

    clause = Clause("Well then, let us begin.", "eric")
    async with (
        asyncio.timeout(PATIENCE_S),
        aclosing(talker.generate("deadly", once(clause))) as chunks,
        aclosing(talker.generate("paused", pausing())) as paused,
        aclosing(talker.generate("unread", once(clause))) as unread,
    ):
        for each in (chunks, paused, unread):
            await anext(each)
        for process in multiprocessing.active_children():
            process.kill()
        await fails(chunks)
        await fails(talker.generate("late", once(CLAUSE)))
        assert not await talker.busy()
        await talker.died()
        await talker.aclose()
        goes_on.set()
        for each in (paused, unread, talker.generate("too late", once(CLAUSE))):
            await fails(each)
        assert not await talker.busy()
        await talker.died()
