"""One caller of a load test: speaks in real time, shows a camera, listens at the speed of sound, interrupts."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from infra.bench.base.speaking import silence, speak
from infra.bench.load.answer import MeasuredAnswer, Served
from infra.bench.load.events import Begun, Created, Done, Fault, Heard, read
from infra.bench.load.script import Ask
from pipeline.realtime.client import ConnectionLost, PipelineError, RealtimeClient

OUR_TURNS = {"audio": {"input": {"turn_detection": None}}}
FRAME_S = 0.5  # between two pictures of the camera
ANSWER_S = 60.0


def _with(wishes: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """The wishes with ours in place of theirs, object by object."""
    told = dict(wishes)
    for name, value in ours.items():
        theirs = told.get(name)
        told[name] = _with(theirs if isinstance(theirs, dict) else {}, value) if isinstance(value, dict) else value
    return told


class LoadCaller:
    """One session.

    Args:
        recordings: Questions, PCM16, 24 kHz mono, each ending with its last word.
        tell: Is told what became of each question, as soon as that is known.
        frames: What the camera shows, JPEG, over and over; none: it is off.
        starts_s: When it shows the first.
    """

    def __init__(
        self,
        pipeline: RealtimeClient,
        recordings: Sequence[bytes],
        tell: Callable[[Served], None],
        frames: Sequence[bytes] = (),
        starts_s: float = 0.0,
    ) -> None:
        self._pipeline = pipeline
        self._recordings = recordings
        self._tell = tell
        self._frames = frames
        self._starts_s = starts_s
        self._answer: MeasuredAnswer | None = None  # the newest
        self._unasked: str | None = None  # the response that nobody waits for
        self._quiet = asyncio.Event()  # it gives none
        self._quiet.set()
        self._untold: MeasuredAnswer | None = None

    async def call(self, script: Iterable[Ask], wishes: Mapping[str, Any], began: float) -> None:
        """Ask everything, one after the other. What is asked when the call breaks off is lost.

        Args:
            wishes: What the session is to be like. That the caller ends the turns is ours to say.

        Raises:
            PipelineError: The session is refused, or the call broke off. In a group.
        """
        session = {"type": "realtime", **_with(wishes, OUR_TURNS)}
        try:
            async with asyncio.TaskGroup() as tasks:
                listening = tasks.create_task(self._listen(), name="load:listen")
                await self._send("session.update", session=session)
                watching = tasks.create_task(self._show(), name="load:camera")
                for turn, ask in enumerate(script, 1):
                    await self._ask(ask, turn, began)
                listening.cancel()
                watching.cancel()
        except* PipelineError:
            self._tell_of_it(began)
            raise

    async def _ask(self, ask: Ask, turn: int, began: float) -> None:
        clock = asyncio.get_running_loop().time
        await speak(self._pipeline, silence(ask.pause_s))
        await speak(self._pipeline, self._recordings[ask.question])
        await self._hush()
        self._answer = self._untold = answer = MeasuredAnswer(clock(), turn)
        await self._send("input_audio_buffer.commit")
        await self._send("response.create", response={"metadata": {"question": str(turn)}})
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                if ask.interrupt_after_s is not None:
                    await self._interrupt(answer, ask.interrupt_after_s)
                while answer.done is None:
                    await self._changed(answer)
        if answer.done is None:
            self._tell_of_it(began)
            await self._give_up(answer)
            return
        try:
            if answer.cancelled is None:
                await asyncio.sleep(answer.playback.ends - clock())
        finally:
            self._tell_of_it(began)
        if answer.response and answer.response.by_shutdown:
            raise ConnectionLost("the server has hung up")  # it is about to

    def _tell_of_it(self, began: float) -> None:
        if self._untold:
            self._tell(self._untold.served(began))
            self._untold = None

    async def _interrupt(self, answer: MeasuredAnswer, after_s: float) -> None:
        """Cancel when so much has been heard. An answer that ends before is left alone."""
        clock = asyncio.get_running_loop().time
        while answer.playback.began is None and answer.done is None:
            await self._changed(answer)
        await asyncio.sleep(after_s)
        if answer.done is not None:
            return
        answer.cancelled = clock()
        await self._send("response.cancel")

    async def _give_up(self, answer: MeasuredAnswer) -> None:
        """Nobody waits for it any more: what comes of it late is of no other question."""
        if answer.response_id:
            self._unasked = answer.response_id
            self._quiet.clear()
        await self._send("response.cancel")

    async def _hush(self) -> None:
        """There is one answer at a time, and who speaks wants theirs."""
        if not self._quiet.is_set():
            await self._send("response.cancel")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._quiet.wait(), ANSWER_S)

    async def _changed(self, answer: MeasuredAnswer) -> None:
        answer.changed.clear()
        await answer.changed.wait()

    async def _listen(self) -> None:
        clock = asyncio.get_running_loop().time
        async for event in self._pipeline:
            heard = read(event)
            if heard is None or not self._is_asked(heard):
                continue
            if self._answer:
                self._answer.note(heard, clock())
            elif isinstance(heard, Fault):
                raise PipelineError(f"the session is refused: {heard.error.message}")
        raise ConnectionLost("the server has hung up")

    def _is_asked(self, heard: Heard) -> bool:
        """The event belongs to the answer that was asked for, not to a remark of the server's own."""
        if isinstance(heard, Created):
            self._begins(heard.response)
        elif isinstance(heard, Done) and heard.response_id == self._unasked:
            self._quiet.set()
        return heard.response_id is None or bool(self._answer and self._answer.response_id == heard.response_id)

    def _begins(self, response: Begun) -> None:
        question = response.metadata and response.metadata.question
        waiting = self._untold
        if waiting and waiting.response_id is None and question in (None, str(waiting.turn)):
            waiting.response_id = response.id
        else:
            self._unasked = response.id
            self._quiet.clear()

    async def _show(self) -> None:
        clock = asyncio.get_running_loop().time
        due, at = clock() + self._starts_s, 0
        while self._frames:
            await asyncio.sleep(due + at * FRAME_S - clock())
            url = f"data:image/jpeg;base64,{b64encode(self._frames[at % len(self._frames)]).decode()}"
            content = [{"type": "input_image", "image_url": url}]
            await self._send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
            at += 1

    async def _send(self, kind: str, **fields: object) -> None:
        await self._pipeline.send({"type": kind, **fields})
