"""The recognisers that measure the chain, in the real vLLM: one keeps to its words, whatever it hears, one does not."""

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.engines.qwen3_asr.speculative_decode import verified
from pipeline.models.qwen3_asr.media import engine_prompt
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk
from pipeline.types.chunks import AsrInput
from tests.contract.vllm.hearing import Recogniser
from tests.contract.vllm.hearing_cases import sound
from tests.gpu.hearing_model import write_recogniser_files

pytestmark = pytest.mark.vllm

TOKENS = 12


def answered(recogniser: Recogniser, seconds: float, draft: tuple[int, ...] = ()) -> EngineOutput:
    """One pass over so much of a sound."""
    from pipeline.engines.vllm.conversion import sampling_params, written
    from pipeline.engines.vllm.prompt import ready_prompt

    pcm = np.asarray(sound(1, 6.0)[: round(16_000 * seconds)])
    request = recogniser.passes().ask(AsrInput(pcm, None, True), None)
    ids, media = engine_prompt(request.prompt, request.windows)
    chunk = PromptChunk(ids, TOKENS - len(draft), media=media, cache_salt=f"{seconds} {draft}", draft=draft)
    name = f"{seconds}-{len(draft)}"
    recogniser.engine.add_request(name, ready_prompt(chunk), sampling_params(recogniser.sampling, chunk))
    pieces: list[EngineOutput] = []
    while not pieces or not pieces[-1].chunk_ended:
        pieces += (written(output, len(draft)) for output in recogniser.engine.step())
    recogniser.engine.step()
    ids = tuple(token for piece in pieces for token in piece.token_ids)
    return EngineOutput(ids, (), True, False, likeliest=pieces[0].likeliest)


def test_words_that_change_are_drawn_beforehand_and_differ_from_step_to_step(
    vllm_on_a_cpu: None, tmp_path: Path
) -> None:
    import torch

    from tests.gpu.chain_words import LIKELY, LOT, LOTS, STEADY, Words

    (tmp_path / "vocab.json").write_text(json.dumps({word: at for at, word in enumerate((*LIKELY, "other"))}))
    none = torch.zeros(LOTS + 3, len(LIKELY) + 1)
    changing, steady = Words(tmp_path, lot=LOT), Words(tmp_path, STEADY)

    def written(words: Words, rows: int) -> list[int]:
        told = words.only(none[:rows])
        assert told is not None and told.shape == (rows, len(LIKELY) + 1)
        return told.argmax(-1).tolist()

    assert len({tuple(written(changing, 8)) for _ in range(9)}) > 1
    assert len(set(written(changing, LOTS + 3))) > 1, "more rows than were drawn"
    assert written(changing, 1)[0] < 3, "of the likeliest, and no other word"
    assert set(written(steady, LOTS + 3)) == {0}
    assert changing.only(None) is None


@pytest.mark.parametrize("keeps", [True, False])
def test_what_a_recogniser_wrote_of_half_a_sound_is_a_right_draft_of_the_whole_if_it_is_steady_and_only_then(
    vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory, keeps: bool
) -> None:
    from vllm import ModelRegistry

    from tests.gpu.chain_words import ChangingRecogniser, SteadyRecogniser

    model = SteadyRecogniser if keeps else ChangingRecogniser
    ModelRegistry.register_model(model.__name__, model)
    folder = write_recogniser_files(tmp_path_factory.mktemp("words"), "1.7b", tiny=True)
    recogniser = Recogniser(folder, load_format="dummy", hf_overrides={"architectures": [model.__name__]})
    try:
        half, whole = (answered(recogniser, seconds).token_ids for seconds in (3.0, 6.0))
        assert len(half) == len(whole) == TOKENS, "no end is found before the limit"
        assert (half == whole) is keeps
        draft = half[:-1]
        tried = answered(recogniser, 6.0, draft)
        assert len(tried.likeliest) == len(draft)
        assert (verified(draft, tried.likeliest) == draft) is keeps
        assert (draft + tried.token_ids == whole) is keeps
    finally:
        recogniser.close()
