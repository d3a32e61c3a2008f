"""Many streams in one decoder: each sounds as if it were alone, whoever joins and leaves beside it."""

import random
from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the speech decoder needs torch")
pytest.importorskip("safetensors", reason="checkpoints need safetensors")

from numpy.typing import NDArray  # noqa: E402
from torch import Tensor  # noqa: E402

from pipeline.models.qwen3_tts.codec.decoder import CodecDecoder, load_decoder  # noqa: E402
from pipeline.models.qwen3_tts.codec.past import Past  # noqa: E402
from pipeline.models.qwen3_tts.codec.streams import LOUDEST, CodecStreams  # noqa: E402
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES  # noqa: E402
from tests.pipeline.models.qwen3_tts import seeded_codec  # noqa: E402

CPU = torch.device("cpu")
SLOTS = 8
LARGEST_ERROR = 1e-4  # of the signal's rms, beside what rounding to PCM16 does


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> CodecDecoder:
    folder = tmp_path_factory.mktemp("voice")
    seeded_codec.write(folder)
    return load_decoder(folder, CPU, torch.float32)


def alone(decoder: CodecDecoder, codes: NDArray[np.int16]) -> NDArray[np.float32]:
    wave: NDArray[np.float32] = decoder(torch.from_numpy(codes[None]).long(), Past(torch.zeros(1)))[0].numpy()
    return wave * LOUDEST


def rms(wave: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.mean(np.square(wave))))


def test_streams_that_join_and_leave_sound_as_if_alone(decoder: CodecDecoder) -> None:
    """One of 700 frames, and some thirty short ones that come and go in the seven other slots."""
    dice, streams = random.Random(13), CodecStreams(decoder, SLOTS, CODEBOOKS, CPU)
    everything = seeded_codec.codes(3000)
    waiting = [everything[:700]] + [everything[at : at + dice.randint(1, 60)] for at in range(700, 2900, 70)]
    speaking: dict[int, tuple[NDArray[np.int16], list[NDArray[np.int16]], int]] = {}  # slot: codes, heard, decoded
    batches, finished = set[int](), 0
    while waiting or speaking:
        for slot in set(range(SLOTS)) - speaking.keys():
            if waiting and (dice.random() < 0.3 or not speaking):
                streams.begin(slot)
                speaking[slot] = waiting.pop(0), [], 0
        size = dice.choice([1, 2, 4, 8, 12, 25])
        able = [slot for slot, (codes, _, at) in speaking.items() if len(codes) - at >= size and dice.random() < 0.9]
        dice.shuffle(able)
        if able:
            batches.add(len(able))
            chunk = np.stack([speaking[slot][0][speaking[slot][2] : speaking[slot][2] + size] for slot in able])
            for slot, pcm in zip(able, streams.decode(able, chunk), strict=True):
                codes, heard, at = speaking.pop(slot)
                heard.append(pcm)
                if at + size < len(codes):
                    speaking[slot] = codes, heard, at + size
                else:
                    finished += 1
                    wave = alone(decoder, codes)
                    assert np.abs(np.concatenate(heard) - wave).max() < 0.5 + LARGEST_ERROR * rms(wave)
    assert finished == 33
    assert batches >= set(range(1, SLOTS + 1))


def test_pcm_is_as_loud_as_the_wave(decoder: CodecDecoder) -> None:
    streams = CodecStreams(decoder, 1, CODEBOOKS, CPU)
    pcm = streams.decode([0], seeded_codec.codes(10)[None])
    assert pcm.shape == (1, 10 * FRAME_SAMPLES)
    assert pcm.dtype == np.int16
    assert rms(pcm.astype(np.float32)) > 0.05 * LOUDEST


def test_a_slot_begins_anew(decoder: CodecDecoder) -> None:
    streams, codes = CodecStreams(decoder, 2, CODEBOOKS, CPU), seeded_codec.codes(40)[None]
    first = streams.decode([1], codes)
    assert not np.array_equal(streams.decode([1], codes), first), "it goes on"
    streams.begin(1)
    assert np.array_equal(streams.decode([1], codes), first)


def test_batches_that_are_filled_up_to_a_graphs_size_sound_the_same(decoder: CodecDecoder) -> None:
    """Graphs as on a GPU, of batches of 1, 3 and 8; only that a replay computes anew."""
    plain, graphed = (CodecStreams(decoder, SLOTS, CODEBOOKS, CPU) for _ in range(2))
    graphed.capture([(1, 2), (3, 2), (8, 2), (8, 5)], recorded)
    assert graphed.graphs == 4
    dice, codes = random.Random(17), seeded_codec.codes(SLOTS * 5 * 12).reshape(12, SLOTS, 5, CODEBOOKS)
    for chunks in codes:
        size, slots = dice.choice([2, 5, 3]), dice.sample(range(SLOTS), dice.randint(1, SLOTS))
        rows = chunks[: len(slots), :size]
        difference = graphed.decode(slots, rows).astype(int) - plain.decode(slots, rows)
        assert np.abs(difference).max() <= 1, "nothing but the last bit"


@pytest.mark.parametrize("graphs", [False, True])
def test_rows_of_other_lengths_sound_as_if_alone(decoder: CodecDecoder, graphs: bool) -> None:
    """What fills a row up is garbage. Each goes on behind its own last frame."""
    dice, streams, most = random.Random(19), CodecStreams(decoder, SLOTS, CODEBOOKS, CPU), 6
    if graphs:
        streams.capture([(1, most), (3, most), (8, most)], recorded)
    codes = seeded_codec.codes(SLOTS * 60).reshape(SLOTS, 60, CODEBOOKS)
    heard: list[list[NDArray[np.int16]]] = [[] for _ in range(SLOTS)]
    at = [0] * SLOTS
    for _ in range(25):
        slots = dice.sample(range(SLOTS), dice.randint(2, SLOTS))
        lengths = [dice.randint(1, most) for _ in slots]
        rows = np.full((len(slots), most, CODEBOOKS), dice.randint(0, 9), np.int16)
        for row, slot, length in zip(rows, slots, lengths, strict=True):
            if at[slot] > 54:  # a stream that is ahead begins anew
                streams.begin(slot)
                heard[slot].clear()
                at[slot] = 0
            row[:length] = codes[slot, at[slot] : at[slot] + length]
        for slot, length, pcm in zip(slots, lengths, streams.decode(slots, rows, lengths), strict=True):
            heard[slot].append(pcm[: length * FRAME_SAMPLES].copy())
            at[slot] += length
    for slot, pieces in enumerate(heard):
        made = np.concatenate(pieces)
        wave = alone(decoder, codes[slot])[: len(made)]
        assert np.abs(made - wave).max() < 0.5 + LARGEST_ERROR * rms(wave)


class Recorded:
    """Stands in for a CUDA graph."""

    def __init__(self, compute: Callable[[], Tensor], result: Tensor) -> None:
        self._compute, self._result = compute, result

    def replay(self) -> None:
        self._result.copy_(self._compute())


def recorded(compute: Callable[[], Tensor], pool: object) -> tuple[Recorded, Tensor]:
    result = compute()
    return Recorded(compute, result), result
