"""This module joins the tools of a call to its session, to its floor, and to what people are shown."""

import asyncio
import logging
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from livekit.agents import Agent, RunContext
from livekit.agents.llm import FunctionCallOutput

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.livekit.model import AuraRealtimeModel
from agent.persona.persona import Persona
from agent.settings.tools import BUILT_IN, ToolSettings
from agent.status.attributes import AgentStatePublisher
from agent.tools.bounds import line
from agent.tools.built_in import CallActions, built_in_tools
from agent.tools.listed_tool import ListedTool, for_livekit
from agent.tools.never_mind import calls_off
from agent.tools.runner import ToolLimits, ToolReport, ToolRunner, lost_report

if TYPE_CHECKING:
    from agent.tools.mcp_servers import McpServers

logger = logging.getLogger(__name__)

ASKED_S = 0.5  # from a turn to the request for its answer, at most: that one knows of results, too


@dataclass(frozen=True, slots=True)
class Toolkit:
    """What a call may have of tools.

    Attributes:
        settings: Of those that are built in, and of MCP servers.
        found: Those of Python modules.
        actions: What can be done with the call; None: it can only talk.
    """

    settings: ToolSettings = field(default_factory=ToolSettings)
    found: tuple[ListedTool, ...] = ()
    actions: CallActions | None = None


class ToolVoice(Protocol):
    """What is said of tools, in the call's language."""

    def hold(self) -> None:
        """Say that something takes a moment."""
        ...

    async def say_goodbye(self) -> bool:
        """Say goodbye; returns whether nobody spoke over it."""
        ...


class CallTools:
    """The tools of one call."""

    def __init__(
        self,
        toolkit: Toolkit,
        model: AuraRealtimeModel,
        publisher: AgentStatePublisher,
        voice: ToolVoice,
        *,
        camera: bool,
    ) -> None:
        self._model, self._publisher, self._voice = model, publisher, voice
        self._runner = ToolRunner(self, ToolLimits(toolkit.settings.timeout_s))
        self._own = (*built_in_tools(toolkit.settings, toolkit.actions, self, camera=camera), *toolkit.found)
        self._servers = self._connected(toolkit.settings)
        self._tasks = OwnedTasks()
        self._agent: Agent | None = None
        self._offered: tuple[ListedTool, ...] = ()
        self._persona: Persona | None = None
        self._known = {*BUILT_IN, *(tool.name for tool in self._own)}
        self._server_names = {server.name for server in toolkit.settings.mcp}
        self._told = set[str]()  # of tools that are not offered
        self._free = self._long = self._held = False
        self._unasked: int | None = None  # so many questions were asked when the newest turn was taken
        self._timer = asyncio.get_running_loop().call_soon(lambda: None)
        self._idle = asyncio.Event()

    @property
    def busy(self) -> bool:
        """Whether a tool runs, or what one returned is due."""
        live = self._model.live
        return self._runner.running or (live is not None and live.answers.calls.pending)

    @property
    def answer_due(self) -> bool:
        """Whether a turn was taken of which no answer was asked for yet."""
        return self._unasked is not None and self._unasked == self._questions

    @property
    def made(self) -> int:
        """How many calls of tools there were."""
        return self._model.live.answers.calls.made if self._model.live else 0

    def for_agent(self, persona: Persona) -> list[Any]:
        """The tools that this persona may use, as LiveKit takes them."""
        self._persona, self._offered = persona, self._of(persona)
        return [for_livekit(tool, self._runner.entry(tool)) for tool in self._offered]

    def start(self, agent: Agent, lost: str = "") -> None:
        """The call has begun.

        Args:
            lost: The call of a tool that an agent showed last that died: it does not run any more.
        """
        self._agent = agent
        if report := lost_report(lost):
            self.report(report)
        if self._persona:
            self._name_strangers(self._persona)
        if self._servers:
            self._servers.start()

    def offer(self, persona: Persona) -> None:
        """Let the model call what this persona may use from now on."""
        if persona is not self._persona:
            self._name_strangers(persona)
        if self._agent and (self._of(persona) != self._offered):
            self._tasks.start(self._agent.update_tools(self.for_agent(persona)), "tools:offer")
        self._persona = persona

    def see_floor(self, free: bool) -> None:
        """Nobody speaks, and nothing is under way or audible; or otherwise. Results are answered when it is free."""
        self._free = free
        self._act()

    def on_turn(self) -> None:
        """The person has said something that is answered."""
        self._runner.consent.answered()
        self._unasked = self._questions
        self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(ASKED_S, self._on_unasked)

    def heed(self, text: str) -> None:
        """Take what somebody said or wrote: it may call off what is being done."""
        if calls_off(text) and self._runner.cancel():
            logger.info("tools called off")

    async def settled(self) -> None:
        """Returns when nothing runs or is due, and the floor is free."""
        await self._idle.wait()

    async def aclose(self) -> None:
        self._timer.cancel()
        await self._runner.aclose()
        if self._servers:
            await self._servers.aclose()
        await self._tasks.aclose()

    # What the runner tells.

    def begin(self, call_id: str) -> bool:
        return self._model.live is not None and self._model.live.answers.calls.begin(call_id)

    def answer(self, output: FunctionCallOutput) -> None:
        if not self._runner.running:
            self._long = self._held = False
        if self._model.live:
            self._model.live.answers.answer_call(output)

    @log_exceptions
    def report(self, report: ToolReport) -> None:
        self._publisher.tool(asdict(report))
        if report.state != "running":
            figures: dict[str, float | str] = {"tool": report.name, "tool_ms": report.ms}
            text = f"{report.name}, {report.ms / 1000:.1f} s"
            self._publisher.decided("tool", text, reason=report.state, figures=figures)

    @log_exceptions
    def runs_long(self) -> None:
        self._long = True
        self._act()

    # What the servers tell.

    def on_tools_changed(self) -> None:
        if self._persona:
            self.offer(self._persona)

    def on_server_trouble(self, server: str, why: str) -> None:
        self._publisher.decided("no_tool", f"{server}: {why}")

    # What tools need of the call.

    @property
    def sees(self) -> bool:
        return self._publisher.signals.looks(asyncio.get_running_loop().time())

    @property
    def seen(self) -> str:
        return self._publisher.seen

    async def say_goodbye(self, context: RunContext[None]) -> bool:
        if self._has_spoken:  # the answer that ends the call has said it
            await context.wait_for_playout()
            return not context.speech_handle.interrupted
        return await self._voice.say_goodbye()

    @log_exceptions
    def _act(self) -> None:
        live = self._model.live
        if self._free and live and live.is_up and not self.answer_due:
            if self._runner.running:
                if self._long and not self._held:
                    self._held = True
                    if not self._has_spoken:
                        self._voice.hold()
            elif live.answers.calls.reply_due:
                live.answers.reply_to_tools()
        if self._free and not self.busy:
            self._idle.set()
        else:
            self._idle.clear()

    @log_exceptions
    def _on_unasked(self) -> None:
        """No answer was asked for: results wait for none."""
        self._unasked = None
        self._act()

    @property
    def _questions(self) -> int:
        return self._model.live.answers.calls.questions if self._model.live else 0

    @property
    def _has_spoken(self) -> bool:
        """Whether the newest answer has words: somebody heard something while the tool ran."""
        answer = self._model.live.answers.newest if self._model.live else None
        return answer is not None and bool(answer.words.strip())

    def _of(self, persona: Persona) -> tuple[ListedTool, ...]:
        own = (tool for tool in self._own if persona.tools is None or tool.name in persona.tools)
        served = self._servers.tools if self._servers else ()
        theirs = (tool for tool in served if persona.mcp is None or tool.server in persona.mcp)
        first: dict[str, ListedTool] = {}
        for tool in (*own, *theirs):
            if (used := first.setdefault(tool.name, tool)) is not tool:
                self._leave_out(tool, used)
        return tuple(first.values())

    def _leave_out(self, tool: ListedTool, used: ListedTool) -> None:
        """Tell, once, that a tool is not offered, since another one has its name."""
        self._tell_once(f"{tool.origin}: {tool.name}: it is left out, since {used.origin} has a tool of that name, too")

    def _name_strangers(self, persona: Persona) -> None:
        """Tell, once, which tools and servers a persona names that are none."""
        for name in persona.tools or ():
            if name not in self._known:
                self._tell_once(f"persona {persona.name}: tools: there is no {name}")
        for name in persona.mcp or ():
            if name not in self._server_names:
                self._tell_once(f"persona {persona.name}: mcp: there is no server {name}")

    def _tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._publisher.decided("no_tool", line(text))
            logger.warning("a tool is left out", extra={"why": line(text)})

    def _connected(self, settings: ToolSettings) -> "McpServers | None":
        if not settings.mcp:
            return None
        from agent.tools.mcp_servers import McpServers  # its packages take a while to import

        return McpServers(settings.mcp, self, settings.timeout_s)
