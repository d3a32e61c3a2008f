"""One session's eyes: what was seen joins its conversation, is read at once, and may be worth saying something."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pipeline.asked import Asked
from pipeline.chunks import Turn
from pipeline.clips import Clip
from pipeline.conversation import Conversation
from pipeline.held import Held
from pipeline.history import Cut, History
from pipeline.names import offer_name
from pipeline.offers import OFFER_S, Offer, Offers
from pipeline.setup import Setup
from pipeline.stages import Stages
from pipeline.tasks import Tasks
from pipeline.turn import chain, read
from pipeline.utterance import AHEAD_MS, Question
from pipeline.watching import Watching
from pipeline.window import cut, is_due


@dataclass(frozen=True, slots=True)
class Moment:
    """What eyes know of their session.

    Attributes:
        is_settling: A question is about to be answered, or is being: nothing it depends on may change.
        is_idle: Nobody speaks.
    """

    is_settling: Callable[[], bool]
    is_idle: Callable[[], bool]
    setup: Callable[[], Setup]
    turn: Callable[[], Turn]


class Sight:
    """
    Seconds that close while a question is settling wait, and join the conversation when that is over. Those that
    join are read, at low priority; while nobody speaks the model is asked whether it wants to say something.
    When a cut is due, what it leaves is read in the background, and holds from when that has been done.
    """

    def __init__(
        self,
        name: str,
        stages: Stages,
        conversation: Conversation,
        tasks: Tasks,
        moment: Moment,
        offer: Callable[[Offer], None],
    ) -> None:
        self._stages = stages
        self._limits = stages.limits
        self._conversation = conversation
        self._tasks = tasks
        self._moment = moment
        self._offer = offer
        self._name = name
        self._waiting: deque[Clip] = deque(maxlen=self._limits.keep_s + self._limits.slack_s)
        self._glance: asyncio.Task[None] | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._cut: Cut | None = None  # has been read, and is to hold
        self.offers = Offers()
        self.watching = Watching(name, self._seen, stages.look)

    def open(self) -> None:
        self._tasks.start(f"{self._name}:watch", self.watching.watch)

    async def picture(self, name: str, data: bytes) -> Clip:
        """A picture in a file's form, to be seen with a question.

        Raises:
            RequestError: It is no picture, or cannot be seen.
        """
        return Clip(f"{self._name}.{name}", np.asarray([await self._stages.look(data)]))

    def rest(self, *, ahead: bool = True) -> None:
        """The person has been heard to the end: what was seen until now belongs to what they said.

        Args:
            ahead: What has not been read of it is read at once, while their last words are still being made out.
        """
        self.watching.close()
        self._join()
        if ahead and self._glance and not self._glance.done():
            self._tasks.start(f"{self._name}:rest", self._read, self._conversation.history, awaited=True)

    def speech(self) -> None:
        """The person speaks: what was about to be said of one's own accord is out of date."""
        self.offers.drop()
        if self._glance:
            self._glance.cancel()

    def look_back(self) -> None:
        """A turn is over: what was seen meanwhile joins the conversation."""
        self._join()
        self._cut_when_due()

    def _seen(self, clip: Clip) -> None:
        self._waiting.append(clip)
        if self._glance is None or self._glance.done():
            self._glance = self._tasks.start(f"{self._name}:glance", self._look)

    def _join(self) -> None:
        """What waits joins the conversation."""
        history = self._conversation.history
        while self._waiting:
            history = history.with_round(self._waiting.popleft())
        self._conversation.history = history

    async def _look(self) -> None:
        """Take in what waits, and once more if something has come meanwhile."""
        while self._waiting and not self._moment.is_settling():
            self._join()
            self._cut_when_due()
            await self._take_in(self._conversation.history)

    async def _take_in(self, history: History) -> None:
        stands = self.offers.stands(asyncio.get_running_loop().time())
        if self._moment.setup().proactive == "off" or not self._moment.is_idle() or stands:
            await self._read(history)
        elif text := await self._consider(history):
            self._speak_up(text)

    async def _read(self, history: History, *, awaited: bool = False) -> None:
        """Have the engine read it, for when it is asked for."""
        question = Question(lambda: history, self._stages.route, lambda: self._moment.setup().wants)
        await read(self._moment.turn(), question.ask("").unfinished(awaited=awaited), question)

    async def _consider(self, history: History) -> str:
        """What there is to be said about what is seen: mostly nothing."""
        wants = replace(self._moment.setup().wants, modality="text", unasked=True)
        held = Held(AHEAD_MS)
        async with held:
            await chain(self._moment.turn(), Asked(history, wants), self._stages.route(wants), held)
        held.open()
        return "".join([word.text async for word in held.words()]).strip()

    def _speak_up(self, text: str) -> None:
        if not self._moment.is_idle():
            return
        offer = Offer(offer_name(), text, asyncio.get_running_loop().time() + OFFER_S)
        self.offers.make(offer)
        self._offer(offer)

    def _cut_when_due(self) -> None:
        """A cut that has been read holds; if another is due, it is read. What is left is read next, whoever asks."""
        conversation = self._conversation
        if self._cut:
            conversation.history, self._cut = conversation.history.cut(self._cut), None
        elif (self._cutting is None or self._cutting.done()) and is_due(conversation.history, self._limits):
            self._cutting = self._tasks.start(f"{self._name}:cut", self._read_cut)

    async def _read_cut(self) -> None:
        history = self._conversation.history
        planned = cut(history, self._limits)
        await self._read(history.cut(planned))
        self._cut = planned
