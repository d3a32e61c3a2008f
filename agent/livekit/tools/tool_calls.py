"""This module knows the tools of a session, which of them the pipeline has called, and what is still due to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from livekit.agents import llm
from livekit.agents.llm.utils import build_legacy_openai_schema

NOT_RUN = "This was not done: the person went on speaking first."
MOST_ROUNDS = 4  # answers to results that may call tools again, until somebody says something


@dataclass(slots=True)
class ToolCalls:
    """The calls of one session: each gets one output, and the outputs one answer.

    Attributes:
        made: How many there were.
        questions: How many answers were asked for that are not to results.
        rounds: Answers to results since somebody asked anything.
    """

    _waiting: dict[str, llm.FunctionCall] = field(default_factory=dict)  # that nobody has begun
    _begun: set[str] = field(default_factory=set)  # without an output yet
    _reply_due: bool = False
    rounds: int = 0
    made: int = 0
    questions: int = 0

    @property
    def pending(self) -> bool:
        """Whether an output is due to the pipeline, or an answer to the person."""
        return bool(self._waiting or self._begun) or self._reply_due

    @property
    def reply_due(self) -> bool:
        """Whether every call has its output, and nothing was asked since that would be answered with it."""
        return self._reply_due and not (self._waiting or self._begun)

    @property
    def reply_options(self) -> dict[str, Any]:
        """The `response` that answers results; after too many rounds, one that calls nothing."""
        return {} if self.rounds < MOST_ROUNDS else {"tool_choice": "none"}

    def called(self, call: llm.FunctionCall) -> None:
        """The pipeline has made a call."""
        self._waiting[call.call_id] = call
        self.made += 1

    def begin(self, call_id: str) -> bool:
        """Take a call; returns whether it may be run: it has not been given up, and runs for the first time."""
        if self._waiting.pop(call_id, None) is None:
            return False
        self._begun.add(call_id)
        return True

    def give_up(self) -> list[llm.FunctionCallOutput]:
        """Run no call that nobody has begun; returns their outputs."""
        waiting, self._waiting = self._waiting, {}
        return [not_run(call) for call in waiting.values()]

    def is_ours(self, call_id: str) -> bool:
        """Whether somebody has begun the call, whose output is told by nobody else."""
        return call_id in self._begun

    def answered(self, output: llm.FunctionCallOutput) -> None:
        """The pipeline is told that output."""
        self._waiting.pop(output.call_id, None)
        self._begun.discard(output.call_id)
        self._reply_due = self._reply_due or output.reply_required

    def lost(self) -> None:
        """The answer to results was stopped before anything of it came: it is due as before."""
        self._reply_due, self.rounds = True, max(0, self.rounds - 1)

    def asked(self, *, by_person: bool) -> None:
        """An answer is asked for, which will know every output until now."""
        self._reply_due = False
        self.rounds = 0 if by_person else self.rounds + 1
        self.questions += by_person


def not_run(call: llm.FunctionCall) -> llm.FunctionCallOutput:
    """The output of a call that is not run."""
    return llm.FunctionCallOutput(
        name=call.name, call_id=call.call_id, output=NOT_RUN, is_error=True, reply_required=False
    )


def schemas(tools: Sequence[llm.Tool]) -> tuple[Mapping[str, Any], ...]:
    """The tools as the wire has them: `type`, `name`, `description` and `parameters`, a JSON schema."""
    return tuple(filter(None, map(_schema, tools)))


def choice(chosen: llm.ToolChoice) -> object:
    """A tool choice as the wire has it."""
    if isinstance(chosen, str):
        return chosen
    return {"type": "function", "name": chosen["function"]["name"]}


def _schema(tool: llm.Tool) -> Mapping[str, Any] | None:
    if isinstance(tool, llm.RawFunctionTool):
        schema = tool.info.raw_schema
        return {
            "type": "function",
            "name": tool.info.name,
            "description": schema.get("description") or "",
            "parameters": schema.get("parameters") or {"type": "object", "properties": {}},
        }
    if isinstance(tool, llm.FunctionTool):
        return build_legacy_openai_schema(tool, internally_tagged=True)
    return None
