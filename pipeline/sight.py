"""One session's eyes: what was seen joins its conversation, is read at once, and may be worth saying something."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np

from pipeline.clips import Clip, Pixels
from pipeline.conversation import Conversation
from pipeline.history import Cut, History
from pipeline.offers import OFFER_S, Offer, Offers, Proactive
from pipeline.tasks import Tasks
from pipeline.watching import Watching, in_thread
from pipeline.window import Limits, cut, is_due


@dataclass(frozen=True, slots=True)
class Errands:
    """What a session does for its eyes.

    Attributes:
        is_settling: A question is about to be answered, or is being: nothing it depends on may change.
        is_idle: Nobody speaks.
        read: Has the engine read a conversation, for when it is asked for.
        consider: Asks whether what is seen is worth saying something; nothing, if it is not.
        offer: Takes what is.
        named: Makes the name of an offer.
    """

    is_settling: Callable[[], bool]
    is_idle: Callable[[], bool]
    read: Callable[[History], Awaitable[None]]
    consider: Callable[[History], Awaitable[str]]
    offer: Callable[[Offer], None]
    named: Callable[[], str]


class Sight:
    """
    Seconds that close while a question is settling wait, and join the conversation when that is over. Those that
    join are read, at low priority; while nobody speaks the model is asked whether it wants to say something.
    When a cut is due, what it leaves is read in the background, and holds from when that has been done.
    """

    def __init__(
        self,
        name: str,
        limits: Limits,
        conversation: Conversation,
        tasks: Tasks,
        errands: Errands,
        look: Callable[[bytes], Awaitable[Pixels]] = in_thread,
    ) -> None:
        self._limits = limits
        self._conversation = conversation
        self._tasks = tasks
        self._do = errands
        self._name = name
        self._look_at = look
        self._waiting: deque[Clip] = deque(maxlen=limits.keep_s + limits.slack_s)
        self._glance: asyncio.Task[None] | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._cut: Cut | None = None  # has been read, and is to hold
        self.offers = Offers()
        self.proactive: Proactive = "off"
        self.watching = Watching(name, self._seen, look)

    def open(self) -> None:
        self._tasks.start(f"{self._name}:watch", self.watching.watch)

    async def picture(self, name: str, data: bytes) -> Clip:
        """A picture in a file's form, to be seen with a question.

        Raises:
            RequestError: It is no picture, or cannot be seen.
        """
        return Clip(f"{self._name}.{name}", np.asarray([await self._look_at(data)]))

    def rest(self) -> None:
        """The person has been heard to the end: what was seen until now belongs to what they said."""
        self.watching.close()
        self._joined()

    def speech(self) -> None:
        """The person speaks: what was about to be said of one's own accord is out of date."""
        self.offers.drop()
        if self._glance:
            self._glance.cancel()

    def look_back(self) -> None:
        """A turn is over: what was seen meanwhile joins the conversation."""
        self._joined()
        self._cut_when_due()

    def _seen(self, clip: Clip) -> None:
        self._waiting.append(clip)
        if self._do.is_settling() or (self._glance and not self._glance.done()):
            return
        self._joined()
        self._cut_when_due()
        self._glance = self._tasks.start(f"{self._name}:glance", self._look)

    def _joined(self) -> None:
        """What waits joins the conversation, and a cut that has been read holds."""
        history = self._conversation.history
        while self._waiting:
            history = history.with_round(self._waiting.popleft())
        if self._cut:
            history, self._cut = history.cut(self._cut), None
        self._conversation.history = history

    async def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        history = self._conversation.history
        if self.proactive == "off" or not self._do.is_idle() or self.offers.stands(now):
            return await self._do.read(history)
        if text := await self._do.consider(history):
            self._speak_up(text)

    def _speak_up(self, text: str) -> None:
        if not self._do.is_idle():
            return
        offer = Offer(self._do.named(), text, asyncio.get_running_loop().time() + OFFER_S)
        self.offers.make(offer)
        self._do.offer(offer)

    def _cut_when_due(self) -> None:
        at_work = self._cutting and not self._cutting.done()
        if not at_work and self._cut is None and is_due(self._conversation.history, self._limits):
            self._cutting = self._tasks.start(f"{self._name}:cut", self._read_cut)

    async def _read_cut(self) -> None:
        history = self._conversation.history
        planned = cut(history, self._limits)
        await self._do.read(history.cut(planned))
        self._cut = planned
