"""What is asked of the recogniser's engine; each function returns the rows of one table."""

from dataclasses import dataclass
from functools import partial

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
    """

    utterances: tuple[Said, ...] = (Said(3.0, 12, 14), Said(8.0, 12, 9), Said(20.0, 12, 9))
    callers: tuple[int, ...] = (1, 4, 8, 16)
    rounds: int = 20
    tokens: int = 200
    spoken_s: float = 6.0


TINY = Extent((Said(3.0, 4, 5), Said(9.5, 2, 4, every_s=4.0)), (1, 2), 2, 8, 2.0)


async def warm(listener: Listener, extent: Extent) -> list[Row]:
    """Every length and every number of callers once: kernels are compiled, and graphs are there."""
    for said in extent.utterances:
        await listener.tail_ms(said)
    for count in extent.callers:
        await together(count, lambda _: listener.pass_ms(5.0, 4))
    return [{"done": True}]


async def tails(listener: Listener, extent: Extent) -> list[Row]:
    """From the end of the sound to its words."""
    rows: list[Row] = []
    for said in extent.utterances:
        taken = [await listener.tail_ms(said) for _ in range(extent.rounds)]
        rows.append({"speech_s": said.seconds, "tokens": said.tail_tokens, **spread(taken, "tail_ms")})
    return rows


async def token_ms(listener: Listener, extent: Extent) -> list[Row]:
    """From the first token to the last, when all of a batch are asked for together."""
    rows: list[Row] = []
    for count in extent.callers:
        short = max(await together(count, lambda _: listener.pass_ms(5.0, 1)))
        whole = max(await together(count, lambda _: listener.pass_ms(5.0, extent.tokens)))
        rows.append({"batch": count, "first_ms": short, "ms_a_token": (whole - short) / (extent.tokens - 1)})
    return rows


async def kept(listener: Listener, extent: Extent) -> list[Row]:
    """One token of sound that is new, and of sound most of which was heard before."""
    rows: list[Row] = []
    for said in extent.utterances:
        one = Said(said.seconds, said.tokens_a_pass, 1, said.every_s)
        new = [await listener.pass_ms(said.seconds, 1) for _ in range(extent.rounds)]
        known = [await listener.tail_ms(one) for _ in range(extent.rounds)]
        rows.append({"speech_s": said.seconds, **spread(new, "new_ms"), **spread(known, "known_ms")})
    return rows


async def fences(listener: Listener, extent: Extent) -> list[Row]:
    """From giving up a pass to the engine's word that it is dropped."""
    taken = [await listener.fence_ms(5.0, 0.05 + 0.007 * i) for i in range(extent.rounds)]
    return [spread(taken, "fence_ms")]


async def callers(listener: Listener, extent: Extent) -> list[Row]:
    """Tails of callers who all speak for some seconds in real time, and end at once; the worst that can come."""
    rows: list[Row] = []
    for count in extent.callers:
        said = Said(extent.spoken_s, 12, 9)
        taken = await together(count, partial(_paced, listener, said))
        rows.append({"callers": count, "speech_s": said.seconds, **spread(taken, "tail_ms"), "worst_ms": max(taken)})
    return rows


async def _paced(listener: Listener, said: Said, _: int) -> float:
    return await listener.tail_ms(said, paced=True)
