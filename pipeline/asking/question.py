"""A question asked of open stages, with a film in front of it, and what was answered."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pipeline.asking.stages import OfflineStages, ignore, run_offline
from pipeline.asking.transcription import transcribe
from pipeline.context.window import cut, in_bytes, is_due
from pipeline.media.segmentation import Pcm
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chunks import AudioChunk, TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

NAME = "ask"


@dataclass(frozen=True, slots=True)
class AskResult:
    """Tells what was answered, and how long that took.

    Attributes:
        question: As it was heard, or written.
        text: Empty: the model was silent.
        pcm: PCM16, 24 kHz mono.
        prefill_ms: For each second of video, read when it was over.
        remembered: Seconds of video that the model saw when it answered.
        unseen: Bytes of a long question, from its beginning, that the model did not see.
        first_ms: From the question's end to the first "words" and the first "sound", if there are any.
        taken_ms: From there to the end.
    """

    question: str
    text: str
    pcm: bytes
    prefill_ms: tuple[float, ...]
    remembered: int
    unseen: int
    first_ms: Mapping[str, float]
    taken_ms: float

    @property
    def video(self) -> str:
        """Tells how the video was read; empty: there was none."""
        if not self.prefill_ms:
            return ""
        seconds, middle = len(self.prefill_ms), sorted(self.prefill_ms)[len(self.prefill_ms) // 2]
        return f"{seconds} s of video ({self.remembered} remembered), {middle:.0f} ms for a second (median)"

    def __str__(self) -> str:
        said = [f"first {what} after {ms:.0f} ms" for what, ms in self.first_ms.items()]
        if self.unseen:
            said.insert(0, f"of the question the first {self.unseen:,} bytes had no room")
        return ", ".join([*said, f"{self.taken_ms:.0f} ms in all"])


async def ask(
    stages: OfflineStages,
    film: Iterable[VideoChunk],
    question: str | Pcm,
    emit: Callable[[str], None],
    emit_heard: Callable[[str], None],
    language: str | None = None,
) -> AskResult:
    """Show it a film second by second, as a camera would, and ask at the end.

    Args:
        question: Sound (float32, 16 kHz mono) or text; empty text: only what is seen may be worth an answer.
        emit: Is told each piece of the answer.
        emit_heard: Is told what was heard of a question.
        language: Of the question, a code or a name; None: it is detected.

    Raises:
        RequestError: There is no sound in the question.
        EngineError: A stage failed.
    """
    clock, limits = asyncio.get_running_loop().time, stages.limits
    options = ResponseOptions(language=language, cache_salt=NAME)
    history, prefill_ms = History(), list[float]()
    for epoch, clip in enumerate(film):
        history = history.with_video_turn(clip)
        if is_due(history, limits):
            history = history.cut(cut(history, limits))
        began, request = clock(), TurnRequest(history, options).unfinished()
        await run_offline(TurnId(NAME, epoch), request, stages.prefill, ignore)
        prefill_ms.append(1_000 * (clock() - began))
    tail_s, unseen, sound = 0.0, 0, None
    if not isinstance(question, str):
        sound = SpokenSound("question", len(question), question) if stages.hears else None
    if not isinstance(question, str) and stages.recogniser:
        heard = await transcribe(question, language, stages.recogniser, emit_heard)
        question, tail_s = heard.text, heard.tail_s
    question = question if isinstance(question, str) else ""
    if question.strip() or sound:
        item = Item("question", "user", question, sound=sound)
        history = history.with_item(item)
        unseen = in_bytes(question.strip()) - in_bytes(limits.text(item))
    began, told, pcm = clock() - tail_s, list[str](), bytearray()
    firsts: dict[str, float] = {}

    def write(chunk: object) -> None:
        match chunk:
            case TextChunk(text) if text:
                firsts.setdefault("words", 1_000 * (clock() - began))
                told.append(text)
                emit(text)
            case AudioChunk(sound) if sound:
                firsts.setdefault("sound", 1_000 * (clock() - began))
                pcm.extend(sound)

    await run_offline(TurnId(NAME, len(prefill_ms)), TurnRequest(history, options), stages.answer, write)
    taken_ms, remembered = 1_000 * (clock() - began), len(history.video_turns)
    return AskResult(question, "".join(told), bytes(pcm), tuple(prefill_ms), remembered, unseen, firsts, taken_ms)
