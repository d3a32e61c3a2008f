"""What a turn knows of its session at one moment. Frozen: what is learnt later is another context."""

from dataclasses import dataclass

from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest


@dataclass(frozen=True, slots=True)
class TurnContext:
    """One answer to the question what a person may be asking.

    Attributes:
        history: The conversation so far, with the item that is being said or without it.
        item_id: The user's item that is being said, or None if all that is asked is in the history.
        text: What they seem to have said in it.
        settled: They may have finished, and all of it has been heard: it is worth an answer.
        language: ISO 639-1 code of what they speak; empty: nobody knows.
    """

    history: History
    response_options: ResponseOptions
    item_id: str | None = None
    text: str = ""
    settled: bool = False
    language: str = ""

    @property
    def request(self) -> TurnRequest:
        """The question, if this is what they ask. Equal questions have equal answers."""
        history, item_id = self.history, self.item_id
        if item_id is None:
            return TurnRequest(history, self.response_options)
        if history.find(item_id):
            return TurnRequest(history.with_text(item_id, self.text, self.language), self.response_options)
        said = Item(item_id, "user", self.text, "audio", language=self.language)
        return TurnRequest(history.with_item(said), self.response_options)
