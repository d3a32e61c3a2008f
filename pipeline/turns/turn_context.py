"""What a turn knows of its session at one moment. Frozen: what is learnt later is another context."""

from dataclasses import dataclass, field
from datetime import datetime

from pipeline.media.spoken_sound import SpokenSound
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
        likely: They may have finished, and a pass is under way that most likely hears the same: it is worth an answer
            that begins early.
        sound: What they have said, for a model that hears it; where there are no words, it is what is asked.
        asked_at: The day and time of it; None: nobody knows. Not compared.
    """

    history: History
    response_options: ResponseOptions
    item_id: str | None = None
    text: str = ""
    settled: bool = False
    language: str = ""
    likely: bool = False
    sound: SpokenSound | None = None
    asked_at: datetime | None = field(default=None, compare=False)

    @property
    def is_worth_an_answer(self) -> bool:
        return self.settled or self.likely

    @property
    def request(self) -> TurnRequest:
        """The question, if this is what they ask. Equal questions have equal answers."""
        return TurnRequest(self._asked, self.response_options, self.asked_at)

    @property
    def _asked(self) -> History:
        """The conversation with what is asked."""
        history, item_id = self.history, self.item_id
        if item_id is None:
            return history
        if history.find(item_id):
            return history if self.sound and not self.text else history.with_text(item_id, self.text, self.language)
        return history.with_item(Item(item_id, "user", self.text, "audio", language=self.language, sound=self.sound))
