"""Asks a pipeline all questions over its wire, in writing: each talk in a session of its own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import localtime
from typing import Any

from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.persona import AURA
from infra.bench.answers.questions import Question, Talk
from infra.bench.base.wire import Wire, wired

SESSION = PipelineSessionSettings(AURA, spoken=False, camera=False).session()


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answer.

    Attributes:
        kind: Of its talk.
        waited_s: Until its first word; None: it was silent.
    """

    kind: str
    question: Question
    answer: str
    is_right: bool
    waited_s: float | None


async def ask_all(url: str, key: str, talks: Iterable[Talk], tell: Callable[[Answered], None]) -> list[Answered]:
    """One question after the other.

    Args:
        tell: Is told each answer as it comes.
    """
    answered: list[Answered] = []
    for talk in talks:
        async with wired(url, key, SESSION) as wire:
            for question in talk.turns:
                answered.append(await _asked(wire, talk.kind, question))
                tell(answered[-1])
    return answered


async def _asked(wire: Wire, kind: str, question: Question) -> Answered:
    await wire.write(question.ask)
    created = await wire.first("response.created")
    done = await wire.first("response.done")
    first = wire.firsts.get("response.output_text.delta")
    answer = said(done.event["response"])
    right = question.is_right(answer, localtime())
    return Answered(kind, question, answer, right, first.at - created.at if first else None)


def said(response: dict[str, Any]) -> str:
    """The text of a response's messages."""
    parts = (part for item in response["output"] for part in item.get("content", ()))
    return "".join(part.get("text") or part.get("transcript") or "" for part in parts)
