"""The pipeline's side of the wire, in-process and from a script. Nothing here computes."""

import asyncio
import itertools
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pipeline.realtime.client import ConnectionLost, Event, PipelineError

RATE = 24_000
AHEAD_S = 1.5
STEP_S = 0.1


@dataclass(frozen=True)
class Calls:
    """A call of a function: its name, and its arguments as JSON."""

    name: str
    arguments: str = "{}"


@dataclass(frozen=True)
class Says:
    """An answer: its words, each with its sound; or why there is none.

    Attributes:
        after_s: From `response.create` to the first word.
        clauses: Words and the seconds that they take; without words it is sound alone.
        reason: Why it is silent.
        timings: What the first sound brings.
        calls: Functions that it calls, after its words.
        ends_after_s: From its last item to its end.
        then: Words behind the calls, which are a message of their own.
    """

    clauses: tuple[tuple[str, float], ...] = ()
    after_s: float = 0.1
    silent: bool = False
    error: str = ""
    reason: str = "model"
    timings: dict[str, float] = field(default_factory=dict)
    calls: tuple[Calls, ...] = ()
    ends_after_s: float = 0.0
    then: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Hears:
    """What is heard in the next sound: its text and label, when it has paused for `after_s`."""

    text: str
    kind: str = "speech"
    after_s: float = 0.2
    while_speaking_s: float | None = None  # a first partial so long after its onset; a tenth later another that agrees


@dataclass
class FakePipeline:
    """A pipeline for one caller; give its `connect` to whoever would call the real one.

    Attributes:
        received: Every event that came, with the time at which it did.
        refusals: Raised by the next handshakes, one each.
        sees: It looks at pictures.
        most_letters: A longer message is refused.
        slow_s: It takes so long to read an event.
        closing_s: Its socket takes so long to close.
        offers: What it would say unasked, by the id of the offer. One that is accepted, or over which somebody
            speaks, does not stand any more.
        remarks_after_s: From the acceptance of an offer to its first word.
        remarks_s: How long it takes to say one.
        mute: Its answers have words, and no sound comes.
        observes: It tells in words what it sees.
        voices: Those that it has. Without any it does not say what it has, and answers no update of the session.
        languages, voice_languages: What it understands and speaks.
        greeting_s: What it is told to say lasts so long.
        tools: Its model can call functions.
    """

    hears: list[Hears] = field(default_factory=list)
    says: list[Says] = field(default_factory=list)
    refusals: list[PipelineError] = field(default_factory=list)
    received: list[tuple[float, Event]] = field(default_factory=list)
    resumed_with: list[str | None] = field(default_factory=list)
    can_resume: bool = False
    sees: bool = True
    observes: bool = False
    most_letters: int = 1_000
    slow_s: float = 0.0
    closing_s: float = 0.0
    offers: dict[str, str] = field(default_factory=dict)
    remarks_after_s: float = 0.1
    remarks_s: float = 2.0
    mute: bool = False
    voices: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("en", "fr", "sv")
    voice_languages: tuple[str, ...] = ("en", "fr")
    on_event: Callable[[Event], None] | None = None
    greeting_s: float = 1.0
    tools: bool = False

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)
        self.socket: _Socket | None = None
        self.socket_open = False
        self._tasks: asyncio.TaskGroup | None = None
        self._answer: tuple[str, asyncio.Task[None]] | None = None
        self._utterance = self._text = ""
        self._item: dict[str, Any] | None = None
        self._output: dict[str, Any] | None = None
        self._metadata: dict[str, str] = {}
        self._kept = True  # the conversation keeps the answer that is being given
        self._order: list[str] = []  # ids of the conversation's items
        self.items: dict[str, dict[str, Any]] = {}  # those that are complete
        self.calls: list[str] = []  # the `call_id` of each function that it called

    @asynccontextmanager
    async def connect(self, url: str, key: str, *, resume: str | None = None, affinity: str = "") -> AsyncIterator[Any]:
        self.resumed_with.append(resume)
        if self.refusals:
            raise self.refusals.pop(0)
        async with asyncio.TaskGroup() as tasks:
            self._tasks, self.socket, self.socket_open = tasks, _Socket(), True
            resumed = self.can_resume and resume is not None
            self._order = self._order if resumed else []
            aura = {"resume_token": f"token_{len(self.resumed_with)}", "partials": resumed, "sees": self.sees}
            aura |= {"observations": False} if self.observes else {}
            aura |= {"tools": True} if self.tools else {}
            if self.voices:
                has = {"voices": self.voices, "languages": self.languages, "voice_languages": self.voice_languages}
                aura |= {name: list(several) for name, several in has.items()}
            self.tell("session.created", session={"id": self._id("sess"), "aura": aura})
            listening = tasks.create_task(self._listen(self.socket), name="fake:listen")
            try:
                yield self.socket
            finally:
                listening.cancel()
                if self._answer:
                    self._answer[1].cancel()
                    self._answer = None
                await asyncio.sleep(self.closing_s)
                self.socket_open = False

    def tell(self, kind: str, /, **fields: Any) -> None:
        assert self.socket is not None
        self.socket.events.put_nowait({"type": kind, "event_id": self._id("event"), **fields})

    def offer(self, text: str) -> str:
        """Offer to say that; returns the offer's id."""
        offer_id = self._id("offer")
        self.offers = {offer_id: text}
        self.tell("aura.offer", offer_id=offer_id, text=text, expires_ms=5_000, trigger="vision")
        return offer_id

    def break_off(self) -> None:
        """The socket dies."""
        assert self.socket is not None
        self.socket.events.put_nowait(ConnectionLost("the connection ended with code 1006"))

    def kinds(self, *, without: tuple[str, ...] = ("input_audio_buffer.append",)) -> list[str]:
        return [event["type"] for _, event in self.received if event["type"] not in without]

    def of(self, kind: str) -> list[Event]:
        return [event for _, event in self.received if event["type"] == kind]

    def sound(self, at_s: float) -> bytes:
        """The `STEP_S` of an answer that begin at `at_s`."""
        return _tone(STEP_S)

    async def _listen(self, socket: "_Socket") -> None:
        while True:
            event = await socket.inbox.get()
            await asyncio.sleep(self.slow_s)
            self._take(event)

    def _take(self, event: Event) -> None:
        assert self._tasks is not None
        self.received.append((asyncio.get_running_loop().time(), event))
        if self.on_event:
            self.on_event(event)
        match event:
            case {"type": "session.update", "session": session} if self.voices:
                self._update(session, event.get("event_id"))
            case {"type": "input_audio_buffer.activity", "speaking": True}:
                self.offers.clear()
                self._utterance = self._utterance or self._id("item")
                if self.hears and self.hears[0].while_speaking_s is not None:
                    for after_s in (0.0, 0.1):
                        self._later(self.hears[0].while_speaking_s + after_s, self._partial, self.hears[0], False)
            case {"type": "input_audio_buffer.activity", "speaking": False} if self.hears:
                heard = self.hears.pop(0)
                self._later(heard.after_s, self._partial, heard, True)
            case {"type": "input_audio_buffer.clear"}:
                self._utterance = ""
                self.tell("input_audio_buffer.cleared")
            case {"type": "input_audio_buffer.commit"}:
                self._commit()
            case {"type": "conversation.item.create", "item": {"content": [{"text": text}]}} if (
                len(text) > self.most_letters
            ):
                error = {"code": "invalid_value", "param": "item.content", "message": "item.content: too long"}
                self.tell("error", error={**error, "event_id": event.get("event_id")})
            case {"type": "conversation.item.create", "item": {"type": "function_call_output", "call_id": call_id}} if (
                call_id not in self.calls
            ):
                error = {"code": "invalid_value", "param": "item.call_id", "message": "there is no such call"}
                self.tell("error", error={**error, "event_id": event.get("event_id")})
            case {"type": "conversation.item.create", "item": item}:
                self._join(item)
            case {"type": "conversation.item.truncate" | "conversation.item.delete", "item_id": item_id} if (
                item_id not in self._order
            ):
                error = {"code": "item_truncate_invalid_item_id", "message": "there is no such item"}
                self.tell("error", error={**error, "event_id": event.get("event_id")})
            case {"type": "conversation.item.delete", "item_id": item_id}:
                self._order.remove(item_id)
                self.items.pop(item_id, None)
            case {"type": "response.create", "response": {"metadata": {"offer_id": offer_id}}} if (
                offer_id not in self.offers
            ):
                error = {"code": "invalid_value", "param": "response.metadata.offer_id", "message": "does not stand"}
                self.tell("error", error={**error, "event_id": event.get("event_id")})
            case {"type": "response.create"} if self._answer:
                error = {"code": "conversation_already_has_active_response", "message": "one is still being given"}
                self.tell("error", error={**error, "event_id": event.get("event_id")})
            case {"type": "response.create", "response": {"metadata": {"offer_id": offer_id}} as asked}:
                self._begin(asked, Says(((self.offers.pop(offer_id), self.remarks_s),), self.remarks_after_s))
            case {"type": "response.create", "response": {"metadata": {"say": _}} as asked} if self.tools:
                self._begin(asked, Says(silent=True))
            case {"type": "response.create"}:
                says = self.says.pop(0) if self.says else Says(silent=True)
                self._begin(event.get("response") or {}, says)
            case {"type": "response.cancel"} if self._answer and event.get("response_id") in (None, self._answer[0]):
                response_id, task = self._answer
                task.cancel()
                self._end_item(response_id)
                self._done(response_id, self._metadata, status="cancelled")

    def _update(self, session: dict[str, Any], event_id: str | None) -> None:
        """Have it, or refuse it as the pipeline does: by the name of the first field that it does not have."""
        audio = session.get("audio") or {}
        heard, said = audio.get("input", {}).get("transcription", {}), audio.get("output", {})
        wishes = (
            ("session.audio.input.transcription.language", heard.get("language"), self.languages),
            ("session.audio.output.voice", said.get("voice"), self.voices),
            ("session.audio.output.language", said.get("language"), self.voice_languages),
        )
        for param, wish, there in wishes:
            if wish and wish not in there:
                message = f"{param}: {wish!r} is not served; there is: {', '.join(there)}"
                error = {"code": "invalid_value", "param": param, "message": message, "event_id": event_id}
                self.tell("error", error=error)
                return
        self.tell("session.updated", session=session)

    def _partial(self, heard: Hears, settled: bool) -> None:
        self._text = heard.text
        self.tell(
            "input_audio_buffer.partial",
            item_id=self._utterance,
            text=heard.text,
            stable_chars=0,
            audio_end_ms=1_000,
            kind=heard.kind,
            settled=settled,
        )

    def _commit(self) -> None:
        item_id, self._utterance = self._utterance or self._id("item"), ""
        item = {"id": item_id, "type": "message", "role": "user", "content": [{"type": "input_audio"}]}
        self.tell("input_audio_buffer.committed", item_id=item_id, previous_item_id=self._before(item_id))
        self._join(item)
        name = "conversation.item.input_audio_transcription.completed"
        self.tell(name, item_id=item_id, content_index=0, transcript=self._text)

    def _begin(self, asked: dict[str, Any], says: Says) -> None:
        assert self._tasks is not None
        response_id, metadata = self._id("resp"), asked.get("metadata") or {}
        self._metadata, self._kept = metadata, asked.get("conversation") != "none"
        self.tell("response.created", response={"id": response_id, "metadata": metadata})
        if "say" in metadata:
            says = Says(((metadata["say"], self.greeting_s),))
        task = self._tasks.create_task(self._speak(response_id, metadata, says), name=response_id)
        self._answer = (response_id, task)

    async def _speak(self, response_id: str, metadata: dict[str, str], says: Says) -> None:
        await asyncio.sleep(says.after_s)
        if says.silent or says.error:
            decision = {"decision": "silent", "reason": says.reason} if says.silent else {}
            self._done(response_id, {**metadata, **decision}, status="failed" if says.error else "completed", says=says)
            return
        if says.clauses:
            await self._say(response_id, says)
        for call in says.calls:
            self._call(response_id, call)
        if says.then:
            await self._say(response_id, Says(says.then))
        await asyncio.sleep(says.ends_after_s)
        self._done(response_id, metadata, status="completed")

    def _call(self, response_id: str, call: Calls) -> None:
        item = {"id": self._id("item"), "type": "function_call", "call_id": self._id("call"), "name": call.name}
        at = {"response_id": response_id, "output_index": 1}
        begun = {**item, "status": "in_progress", "arguments": ""}
        self.tell("response.output_item.added", **at, item=begun)
        self._join(begun)
        whole = {**item, "status": "completed", "arguments": call.arguments}
        told = {**at, "item_id": item["id"], "call_id": item["call_id"]}
        self.tell("response.function_call_arguments.delta", **told, delta=call.arguments)
        self.tell("response.function_call_arguments.done", **told, arguments=call.arguments)
        self.tell("response.output_item.done", **at, item=whole)
        self.tell("conversation.item.done", previous_item_id=self._before(item["id"]), item=whole)
        self.calls.append(item["call_id"])

    async def _say(self, response_id: str, says: Says) -> None:
        part = {"type": "output_audio", "transcript": ""}
        item: dict[str, Any] = {"id": self._id("item"), "type": "message", "role": "assistant", "content": []}
        place = {"response_id": response_id, "item_id": item["id"], "content_index": 0, "output_index": 0}
        self.tell("response.output_item.added", response_id=response_id, output_index=0, item=item)
        if self._kept:
            self._join(item)
        self._item = {**item, "content": [part]}
        self.tell("response.content_part.added", **place, part={"type": "audio", "transcript": ""})
        at_s, began = 0.0, asyncio.get_running_loop().time()
        timings = {"timings": says.timings} if says.timings else {}
        for text, seconds in says.clauses:
            part["transcript"] += text
            times = {"start_time": at_s, "end_time": at_s + seconds}
            if text:
                self.tell("response.output_audio_transcript.delta", **place, delta=text, **times)
            for _ in range(round(seconds / STEP_S)):
                if not self.mute:
                    delta = b64encode(self.sound(at_s)).decode()
                    self.tell("response.output_audio.delta", **place, delta=delta, **timings)
                    timings = {}
                at_s += STEP_S
                await asyncio.sleep(max(0.0, began + at_s - AHEAD_S - asyncio.get_running_loop().time()))
        self._end_item(response_id)

    def _end_item(self, response_id: str) -> None:
        if self._item:
            self.tell("response.output_item.done", response_id=response_id, output_index=0, item=self._item)
            self._output = self._item
            if self._kept:
                self.tell("conversation.item.done", previous_item_id=self._before(self._item["id"]), item=self._item)
                self.items[self._item["id"]] = self._item
            self._item = None

    def _join(self, item: dict[str, Any]) -> None:
        self.tell("conversation.item.added", previous_item_id=self._before(item["id"]), item=item)
        self._order.append(item["id"])

    def _before(self, item_id: str) -> str | None:
        """The item in front of that one, which may be yet to come."""
        before = self._order[: self._order.index(item_id)] if item_id in self._order else self._order
        return before[-1] if before else None

    def _done(self, response_id: str, metadata: dict[str, str], *, status: str, says: Says | None = None) -> None:
        self._answer = None
        error = {"message": says.error if says else "", "code": "engine_failed"}
        details = {"type": status, "error": error} if error["message"] else None
        output, self._output = [self._output] if self._output else [], None
        response = {"id": response_id, "status": status, "metadata": metadata, "status_details": details}
        self.tell("response.done", response={**response, "output": output})

    def _later(self, seconds: float, call: Callable[..., None], *values: Any) -> None:
        asyncio.get_running_loop().call_later(seconds, call, *values)

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._ids)}"


class _Socket:
    """The end of the wire that the client holds."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event | PipelineError] = asyncio.Queue()
        self.inbox: asyncio.Queue[Event] = asyncio.Queue()
        self.broken = self.stalled = False
        self.fails: Exception | None = None  # to send anything

    async def send(self, event: Event) -> None:
        if self.broken:
            raise ConnectionLost("the connection is broken")
        if self.fails:
            raise self.fails
        if self.stalled:  # nobody takes what is sent
            await asyncio.Event().wait()
        self.inbox.put_nowait(event)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            event = await self.events.get()
            if isinstance(event, PipelineError):
                raise event
            yield event


def _tone(seconds: float) -> bytes:
    """Something that is not silence."""
    return (1_000).to_bytes(2, "little") * round(seconds * RATE)
