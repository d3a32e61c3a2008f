"""The order of server events, as the protocol has it: which event may follow which, for each answer and each item."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.contract.wire_schema import Event

ANSWER = {"": {"response.created"}, "response.created": {"response.done"}, "response.done": set()}

MESSAGE = {  # of an answer; a call may open it before its first word is told
    "": {"response.output_item.added"},
    "response.output_item.added": {"conversation.item.added"},
    "conversation.item.added": {"response.content_part.added"},
    "response.content_part.added": {
        "response.output_audio_transcript.delta", "response.output_audio.delta", "response.output_text.delta",
        "response.output_audio.done", "response.output_text.done",
    },
    "response.output_audio_transcript.delta": {
        "response.output_audio_transcript.delta", "response.output_audio.delta", "response.output_audio.done",
    },
    "response.output_audio.delta": {
        "response.output_audio_transcript.delta", "response.output_audio.delta", "response.output_audio.done",
    },
    "response.output_audio.done": {"response.output_audio_transcript.done"},
    "response.output_audio_transcript.done": {"response.content_part.done"},
    "response.output_text.delta": {"response.output_text.delta", "response.output_text.done"},
    "response.output_text.done": {"response.content_part.done"},
    "response.content_part.done": {"response.output_item.done"},
    "response.output_item.done": {"conversation.item.done"},
    "conversation.item.done": set(),
}  # fmt: skip

OUT_OF_BAND = MESSAGE | {  # an answer that is kept out of the conversation is no item of it
    "response.output_item.added": {"response.content_part.added"},
    "response.output_item.done": set(),
}

CALL = {  # of a function call, which is told at once; words of the same answer may come before, between and behind
    "": {"response.output_item.added"},
    "response.output_item.added": {"conversation.item.added", "response.function_call_arguments.delta"},
    "conversation.item.added": {"response.function_call_arguments.delta"},
    "response.function_call_arguments.delta": {"response.function_call_arguments.done"},
    "response.function_call_arguments.done": {"response.output_item.done"},
    "response.output_item.done": {"conversation.item.done"},
    "conversation.item.done": set(),
}

HEARD = "conversation.item.input_audio_transcription"
SAID = {
    "": {"input_audio_buffer.speech_started", "input_audio_buffer.committed", "conversation.item.added"},
    "input_audio_buffer.speech_started": {"input_audio_buffer.speech_stopped"},
    "input_audio_buffer.speech_stopped": {"input_audio_buffer.committed"},
    "input_audio_buffer.committed": {"conversation.item.added"},
    "conversation.item.added": {"conversation.item.done"},
    "conversation.item.done": {f"{HEARD}.delta", f"{HEARD}.completed", f"{HEARD}.failed"},
    f"{HEARD}.delta": {f"{HEARD}.delta", f"{HEARD}.completed", f"{HEARD}.failed"},
    f"{HEARD}.completed": set(),
    f"{HEARD}.failed": set(),
}


@dataclass(slots=True)
class Order:
    """Follows one connection's events."""

    faults: list[str] = field(default_factory=list)
    _at: dict[str, str] = field(default_factory=dict)  # the last event of each answer and each item
    _answer: str = ""  # the id of the running answer
    _messages: dict[str, int] = field(default_factory=dict)  # of it, by their ids: their places
    _table: dict[str, set[str]] = field(default_factory=dict)
    _calls: set[str] = field(default_factory=set)  # the ids of their items
    _event_ids: set[str] = field(default_factory=set)
    _words: dict[str, str] = field(default_factory=dict)  # by message
    _heard: dict[str, str] = field(default_factory=dict)

    def feed(self, event: Event) -> None:
        kind = event["type"]
        if (kind == "session.created") != (not self._event_ids):
            self.faults.append(f"{kind}: session.created comes first, and once")
        if event["event_id"] in self._event_ids:
            self.faults.append(f"{kind}: the event_id is used twice")
        self._event_ids.add(event["event_id"])
        item_id = event.get("item_id") or event.get("item", {}).get("id", "")
        if kind == "response.output_item.added" and event["item"]["type"] == "function_call":
            self._calls.add(item_id)
        if item_id in self._calls and (kind in CALL or kind.startswith("response.")):
            self._is_called(event, kind, item_id)
            return
        if kind == "conversation.item.deleted":
            self._at.pop(item_id, None)
        elif kind.startswith("response."):
            self._answers(event, kind, item_id)
        elif item_id in self._messages and kind.startswith("conversation.item.") and kind in self._table:
            self._step(item_id, kind, self._table)
        elif item_id and any(kind in following for following in SAID.values()):
            self._step(item_id, kind, SAID)
            self._is_heard(event, kind, item_id)

    def _is_called(self, event: Event, kind: str, item_id: str) -> None:
        self._step(item_id, kind, CALL)
        if kind.startswith("response.") and event["response_id"] != self._answer:
            self.faults.append(f"{kind}: {event['response_id']} is not the running answer")

    def _answers(self, event: Event, kind: str, item_id: str) -> None:
        answer = event.get("response_id") or event["response"]["id"]
        if kind == "response.created":
            if self._answer:
                self.faults.append(f"{kind}: {self._answer} has not ended")
            self._answer, self._messages = answer, {}
            self._table = MESSAGE if event["response"].get("conversation_id") else OUT_OF_BAND
        if answer != self._answer:
            self.faults.append(f"{kind}: {answer} is not the running answer")
        elif item_id:
            self._says(event, kind, item_id)
        else:
            self._step(answer, kind, ANSWER)
        if kind == "response.done":
            self._ends(event)

    def _says(self, event: Event, kind: str, item_id: str) -> None:
        """What is said in pieces is what is said as a whole, in one place."""
        if item_id not in self._messages and kind != "response.output_item.added":
            self.faults.append(f"{kind}: {item_id} was not added")
        self._step(item_id, kind, self._table)
        if self._messages.setdefault(item_id, event["output_index"]) != event["output_index"]:
            self.faults.append(f"{kind}: another place")
        if kind in ("response.output_audio_transcript.delta", "response.output_text.delta"):
            self._words[item_id] = self._words.get(item_id, "") + event["delta"]
        part, said = event.get("part", {}), self._words.get(item_id, "")
        if kind.endswith(".done") and {"transcript", "text"} & (event.keys() | part.keys()):
            whole = event.get("transcript") or event.get("text") or part.get("transcript") or part.get("text") or ""
            if whole != said:
                self.faults.append(f"{kind}: {whole!r} is not {said!r}")

    def _ends(self, event: Event) -> None:
        """Each of its messages has ended before it does."""
        for item_id in self._messages:
            if self._table.get(self._at.get(item_id, ""), {""}):
                self.faults.append(f"response.done: {item_id} has not ended")
        output = [item["id"] for item in event["response"]["output"]]
        if any(item_id in output and output.index(item_id) != at for item_id, at in self._messages.items()):
            self.faults.append("response.done: another place")
        self._answer = ""

    def _is_heard(self, event: Event, kind: str, item_id: str) -> None:
        """Clients append what is heard piece by piece."""
        if kind == f"{HEARD}.delta":
            self._heard[item_id] = self._heard.get(item_id, "") + event["delta"]
        elif kind == f"{HEARD}.completed" and event["transcript"] != self._heard.get(item_id, ""):
            self.faults.append(f"{kind}: {event['transcript']!r} is not {self._heard.get(item_id, '')!r}")

    def _step(self, whose: str, kind: str, table: dict[str, set[str]]) -> None:
        before = self._at.get(whose, "")
        if kind not in table.get(before, set()):
            self.faults.append(f"{kind} follows {before or 'nothing'} ({whose})")
        self._at[whose] = kind


def out_of_order(events: Iterable[Event]) -> list[str]:
    order = Order()
    for event in events:
        order.feed(event)
    return order.faults
