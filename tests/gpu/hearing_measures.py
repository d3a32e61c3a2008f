"""What is asked of the recogniser's engine; each function returns the rows of one table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from tests.gpu.hearing_around import Draft
from tests.gpu.hearing_listening import Listener, Said
from tests.gpu.sections import Row
from tests.gpu.voice_measures import together
from tests.gpu.voice_speaking import spread


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        utterances: Of 3 s all that was said is written at the end: 10 words and the end. Of 20 s only the last five
            tokens, those of the last half second, and the end.
        callers: Who speak at once.
        tokens: Of the passes that say how long a token takes.
        live: Speech and silence, in seconds, of somebody who speaks in real time; and how often.
        long_s: Of the longest sound.
    """

    utterances: tuple[Said, ...] = (Said(3.0, 12, 14), Said(8.0, 12, 9), Said(20.0, 12, 9, 2.0))
    callers: tuple[int, ...] = (1, 4, 16)
    video_turns: int = 12
    tokens: int = 100
    spoken_s: float = 4.0
    live: tuple[tuple[float, float, int], ...] = ((3.0, 0.3, 3), (3.0, 0.0, 3))
    long_s: float = 1_800.0


DRAFTS = {"none": Draft(given=False), "right": Draft(), "last wrong": Draft(wrong=-1), "first wrong": Draft(wrong=0)}
TINY = Extent((Said(3.0, 4, 5), Said(9.5, 2, 4, every_s=4.0)), (1, 2), 2, 8, 2.0, ((1.0, 0.5, 1),), 40.0)


async def warm(listener: Listener, extent: Extent) -> list[Row]:
    """Every number of callers once: kernels are compiled, and graphs are there. The engine has warmed itself."""
    first = [await listener.tail(said) for said in extent.utterances]
    for callers in extent.callers:
        await together(callers, lambda _: listener.pass_ms(5.0, 4))
    return [{"speech_s": said.seconds, **each} for said, each in zip(extent.utterances, first, strict=True)]


async def tails(listener: Listener, extent: Extent) -> list[Row]:
    """From the end of the sound to its words, and the medians of the steps in between, one after the other.

    `features`, `prompt` and `words` are what the recogniser's own process computes; `to_vllm`, `to_engine`,
    `to_schedule`, `to_first`, `tokens`, `to_caller` and `to_words` follow each other and hold them. Drafts by turns:
    none, one that is right, and those that are wrong where they end and where they begin.
    """
    rows: list[Row] = []
    for said in extent.utterances:
        taken = [
            {name: await listener.tail(said, draft) for name, draft in DRAFTS.items()}
            for _ in range(extent.video_turns)
        ]
        for name in DRAFTS:
            steps = [each[name] for each in taken]
            row: Row = {"speech_s": said.seconds, "tokens": said.tail_tokens, "draft": name}
            row |= spread(_of(steps, "tail"), "tail_ms")
            rows.append(row | {f"{step}_ms": median(_of(steps, step)) for step in steps[0] if step != "tail"})
    return rows


async def first_tokens(listener: Listener, extent: Extent) -> list[Row]:
    """From the engine's step to one token: of new sound; of sound that is encoded; and of a prompt that was read."""
    rows: list[Row] = []
    for said in extent.utterances:
        new, encoded, read, tokens = list[float](), list[float](), list[float](), 0
        for _ in range(extent.video_turns):
            part = listener.part(said.seconds, listener.name())
            new.append(await listener.first_ms(part))
            encoded.append(await listener.first_ms(replace(part, cache_salt=listener.name())))
            read.append(await listener.first_ms(part))
            tokens = len(part.token_ids)
        row: Row = {"speech_s": said.seconds, "prompt_tokens": tokens}
        rows.append(row | {"new_ms": median(new), "encoded_ms": median(encoded), "read_ms": median(read)})
    return rows


async def settled(listener: Listener, extent: Extent) -> list[Row]:
    """From the commit to the final words, of somebody who speaks in real time: what was heard in the lull stands."""
    rows: list[Row] = []
    for speech_s, silence_s, video_turns in extent.live:
        taken = [await listener.settled_ms(speech_s, silence_s) for _ in range(video_turns)]
        rows.append({"speech_s": speech_s, "silence_s": silence_s, **spread(taken, "settled_ms"), "worst": max(taken)})
    return rows


async def token_ms(listener: Listener, extent: Extent) -> list[Row]:
    """From the first token to the last, when all of a batch are asked for together."""
    rows: list[Row] = []
    for callers in extent.callers:
        short = max(await together(callers, lambda _: listener.pass_ms(5.0, 1)))
        whole = max(await together(callers, lambda _: listener.pass_ms(5.0, extent.tokens)))
        rows.append({"batch": callers, "one_ms": short, "ms_a_token": (whole - short) / (extent.tokens - 1)})
    return rows


async def fences(listener: Listener, extent: Extent) -> list[Row]:
    """From giving up a pass to the fence's answer, and to the engine's word that it is idle."""
    taken = [await listener.fence_ms(5.0, 0.02 + 0.007 * i) for i in range(extent.video_turns)]
    fenced, idle = ([each[i] for each in taken] for i in (0, 1))
    return [spread(fenced, "fence_ms") | spread(idle, "idle_ms")]


async def callers(listener: Listener, extent: Extent) -> list[Row]:
    """Tails of callers who all speak for some seconds in real time, and end at once; the worst that can come."""
    rows: list[Row] = []
    for speakers in extent.callers:
        said = Said(extent.spoken_s, 12, 9)
        taken = _of(await together(speakers, partial(_paced, listener, said)), "tail")
        rows.append({"callers": speakers, "speech_s": said.seconds, **spread(taken, "tail_ms"), "worst_ms": max(taken)})
    return rows


async def long(listener: Listener, extent: Extent) -> list[Row]:
    """A long sound from its beginning to its end, as `aura-pipeline transcribe` hears it."""
    heard = await listener.transcribed(extent.long_s)
    row: Row = {"sound_s": heard.sound_s, "utterances": heard.text.count("\n") + 1, "taken_s": heard.taken_s}
    return [row | {"worst_tail_ms": 1000 * heard.tail_s}]


async def _paced(listener: Listener, said: Said, _: int) -> dict[str, float]:
    return await listener.tail(said, paced=True)


def _of(taken: Sequence[dict[str, float]], step: str) -> list[float]:
    return [each[step] for each in taken]
