"""One session's vision: what was seen joins its conversation, is prefilled at once, and may be worth a remark."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace
from itertools import count
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.pruner import ContextPruner
from pipeline.media.video_chunk import VideoChunk
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.chunks import Priority
from pipeline.types.history import History, PrunePlan
from pipeline.types.ids import offer_name
from pipeline.types.turn_request import TurnRequest
from pipeline.vision.camera_watcher import CameraWatcher
from pipeline.vision.noticing import Noticing
from pipeline.vision.offers import OFFER_S, Offer, OfferBook, OfferSink, unasked
from pipeline.vision.prefill_tracker import QUICK_S, PrefillTracker
from pipeline.vision.session_state import SessionState
from pipeline.vision.sighting import Sighting, SightingSink, glance
from pipeline.vision.video_buffer import NOWHERE, FrameId, VideoBuffer

LIVE_S = 2.0  # how old the newest frame may be that shows what is there now: a camera gives two a second


class VisionSink(OfferSink, SightingSink, Protocol):
    """Whoever is told what is seen, and what the model would say of it."""

    def skipped(self, seconds: int) -> None:
        """So many seconds of video are not seen: the model cannot keep up."""
        ...


class VisionController:
    """Decides when the model is shown what the camera sees.

    While nobody speaks, a second of video joins the conversation when it closes, and is prefilled then, at low
    priority, or the model is asked whether it wants to say something. While a person speaks each frame is prefilled as
    it comes, as the second that it would be if the question came now; seconds join once they are prefilled, so that a
    question finds all that it is about prefilled already. While a question is settling, seconds wait. When pruning is
    due, what it leaves is prefilled in the background, behind what others see, and holds from when that is done. Where
    the model is shared by more than it can serve, seconds are skipped, and less is left.

    Where another model than the one that writes looks at the pictures, to prefill them is to have them recognised: it
    remembers what is in them, the sink is told, and what is noticed there may be worth a remark. The model that writes
    is then not troubled.
    """

    def __init__(
        self,
        name: str,
        stages: PipelineStages,
        conversation: ConversationMemory,
        tasks: BackgroundTasks,
        turns: TurnCounter,
        sink: VisionSink,
    ) -> None:
        self._stages = stages
        self._conversation = conversation
        self._tasks = tasks
        self._turns = turns
        self._sink = sink
        self._name = name
        self._state = SessionState()
        self._pictures = count()
        self._seconds = VideoBuffer(name, stages.limits.keep_s + stages.limits.slack_s)
        self._prefills = PrefillTracker()
        self._glance: asyncio.Task[None] | None = None
        self._sighted = NOWHERE  # the newest frame that the sink was told of
        self._noticing, self._remark = Noticing(), ""
        self._pruner = ContextPruner(name, conversation, stages.limits, tasks, self)
        self.offers = OfferBook()
        self.watching = CameraWatcher(self._seconds, stages.decode_picture)

    @property
    def state(self) -> SessionState:
        return self._state

    @property
    def is_busy(self) -> bool:
        """Others leave too little of the model for seconds of video to be prefilled as soon as they are there."""
        return self._prefills.is_behind(QUICK_S, _now())

    @property
    def _falls_behind(self) -> bool:
        """A second takes longer than a second. A model that looks at the newest picture only has no more to do then."""
        return self._stages.writer_sees and self._prefills.is_slow

    def open(self) -> None:
        self._tasks.start(f"{self._name}:watch", self._watch)

    def update(self, state: SessionState) -> None:
        """Take the state that the session has now."""
        self._state = state

    async def picture(self, data: bytes) -> VideoChunk:
        """A picture in a file's form, to be seen with a question.

        Raises:
            RequestError: It is no picture, or cannot be seen.
        """
        return VideoChunk(f"{self._name}.picture{next(self._pictures)}", (await self._stages.decode_picture(data),))

    def rest(self, *, ahead: bool = True) -> None:
        """Let what was seen until now join the conversation: it belongs to what the person said, who has ended.

        Args:
            ahead: What of it is not prefilled is prefilled at once, while their last words are still being made out.
        """
        self._skip()
        upto = self._prefills.question(self._seconds.newest, _now())
        if self._prefills.under_way and self._prefills.under_way > upto:
            self._stop_looking()
        self._join(upto)
        self._see([])  # also where nothing has come: the camera may have stopped
        if ahead and not self._falls_behind and self._prefills.soon(_now()) < self._seconds.taken:
            self._tasks.start(f"{self._name}:rest", self._prefill_rest, self._conversation.history, self._seconds.taken)

    def speech(self) -> None:
        """Drop what was about to be said unasked, which is out of date: the person speaks."""
        self.offers.drop()
        self._stop_looking()
        self._see([])
        self._look_once()

    def resume(self) -> None:
        """Look again: the person goes on after a pause."""
        self._look_once()

    def look_back(self) -> None:
        """Let what was seen during a turn join the conversation, when the turn is over."""
        self._skip()
        self._join(self._seconds.closed)
        self._pruner.when_due()

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        return {"seen": self._seconds.taken.came if self._seconds.taken > NOWHERE else None}

    async def prefill(
        self, history: History, upto: FrameId = NOWHERE, *, priority: Priority = Priority.PREFILL
    ) -> None:
        """Prefill what is seen in a conversation, so that a question about it finds it in the cache.

        Args:
            upto: Its newest frame, if that may be news to the sink.
            priority: Among what others have prefilled.
        """
        response_options = replace(self._state.response_options, unasked=priority != Priority.QUESTION)
        request = TurnRequest(history, response_options).unfinished(priority)
        seen = await glance(self._turns.next(), request, self._stages.eyes)
        if seen and history.video_turns and upto > self._sighted:
            self._sighted, clip = upto, history.video_turns[-1].clip
            self._remark = self._noticing.feed(seen, clip.source, upto.came)
            self._sink.sighted(Sighting(seen, clip, upto.came))

    async def _watch(self) -> None:
        async with aclosing(self.watching.watch()) as frames:
            async for _ in frames:
                if self._prefills.under_way and self._seconds.splits(self._prefills.under_way):
                    self._stop_looking()  # a second has closed that was being prefilled as it was before
                self._look_once()

    def _look_once(self) -> None:
        if self._glance is None or self._glance.done():
            self._glance = self._tasks.start(f"{self._name}:glance", self._look)

    def _stop_looking(self) -> None:
        if self._glance:
            self._glance.cancel()
        self._glance = None
        self._prefills.stop(_now())

    def _join(self, upto: FrameId) -> None:
        """Let the frames up to there join the conversation."""
        if clips := self._seconds.take(upto):
            self._see(clips)
        self.watching.check()

    def _see(self, clips: Iterable[VideoChunk]) -> None:
        """The clips join the conversation, which knows from now on whether the camera still shows anything."""
        self._conversation.see(clips, is_live=_now() - self._seconds.newest.came <= LIVE_S)

    async def _look(self) -> None:
        """Take in what is there, and once more if something has come meanwhile."""
        while not self._state.is_settling(_now()) and (upto := self._due()) > self._prefills.upto:
            self._skip()
            if self._state.is_speaking:
                await self._prefill_ahead(upto)
            else:
                self._join(upto)
                self._pruner.when_due()
                await self._take_in(upto)

    def _skip(self) -> None:
        """Where prefilling falls behind, of seconds that have closed meanwhile only the newest is seen."""
        if self._falls_behind and (skipped := self._seconds.skip(self._prefills.begun_upto)):
            self._sink.skipped(skipped)

    def _due(self) -> FrameId:
        ahead = self._state.is_speaking and self._prefills.is_quick
        return self._seconds.newest if ahead else self._seconds.closed

    async def _prefill_ahead(self, upto: FrameId) -> None:
        """Prefill the conversation as it would be if the question came now, and then keep what of it cannot change."""
        closed, planned = self._seconds.closed, self._pruner.planned
        history = self._conversation.history.cut(planned or PrunePlan()).with_video_turns(self._seconds.clips(upto))
        self._prefills.begin(upto, _now(), apart=planned is not None)
        await self.prefill(replace(history, is_live=True), upto)
        if self._state.is_settling(_now()) and planned:
            self._prefills.stop(_now())
            return
        self._prefills.end(upto, _now())
        self._join(closed)  # nothing, if a question has taken it meanwhile
        if self._pruner.planned is planned:
            self._pruner.when_due()

    async def _take_in(self, upto: FrameId) -> None:
        history, self._remark = self._conversation.history, ""
        stands = self.offers.stands(_now())
        wanted = self._state.proactive != "off" and self._state.is_idle(_now()) and not stands
        if not (wanted and self._stages.remarks):
            await self._prefill_to(history, upto)
            text = "" if stands else self._remark
        else:
            response_options = replace(self._state.response_options, modality="text", unasked=True)
            self._prefills.begin(upto, _now())
            text = await unasked(
                self._turns.next(), TurnRequest(history, response_options), self._stages.route(response_options)
            )
            self._prefills.end(upto, _now(), wrote=bool(text))
        if text:
            self._speak_up(text)

    async def _prefill_to(self, history: History, upto: FrameId) -> None:
        self._prefills.begin(upto, _now())
        await self.prefill(history, upto, priority=Priority.SEEN)
        self._prefills.end(upto, _now())

    async def _prefill_rest(self, history: History, upto: FrameId) -> None:
        await self.prefill(history, upto, priority=Priority.QUESTION)
        self._prefills.reach(upto)

    def _speak_up(self, text: str) -> None:
        if not self._state.is_idle(_now()) or self._state.proactive == "off":
            return
        offer = Offer(offer_name(), text, _now() + OFFER_S)
        self.offers.make(offer)
        self._sink.offer(offer)


def _now() -> float:
    return asyncio.get_running_loop().time()
