"""The call of LiveKit's own console, `lk agent console`: the tool brings microphone, loudspeakers and a screen."""

import logging

from livekit.agents import JobContext

from agent.call import Call
from agent.persona.persona import AURA
from agent.settings.agent import WorkerSettings
from agent.tools.call_tools import Toolkit
from agent.tools.catalogue import load_tools
from agent.turns.endpointing import TURNS

logger = logging.getLogger(__name__)


class ToolCall:
    """A call without a room: LiveKit gives it the sound of the tool, and ends it when the tool does."""

    def __init__(self, settings: WorkerSettings, ctx: JobContext) -> None:
        self._ctx = ctx
        toolkit = Toolkit(settings.tools, load_tools(settings.tools))
        self._call = Call(settings.pipeline, AURA, TURNS["console"], self, toolkit=toolkit)

    async def begin(self) -> None:
        """Returns when the call is set up."""
        self._ctx.add_shutdown_callback(self._call.aclose)
        await self._call.start(room=self._ctx.room)

    async def publish(self, attributes: dict[str, str]) -> None:
        """There is no room to show them in."""

    def on_trouble(self, text: str) -> None:
        if text:
            logger.warning("trouble", extra={"what": text})

    def on_frame(self) -> None:
        """There is no room to tell of it in."""
