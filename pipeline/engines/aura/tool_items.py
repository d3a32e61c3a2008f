"""Function calls and their outputs as what the model and the person say, in the words of AURA's prompts. Pure."""

from dataclasses import replace

from pipeline.context.window import WindowLimits, remembered
from pipeline.tools.prompt_format import call_text, output_text, without_marks
from pipeline.types.function_tools import FunctionCall
from pipeline.types.history import History, Item
from pipeline.types.paired_calls import paired


def with_calls_as_text(history: History, limits: WindowLimits) -> History:
    """The history without calls and outputs of its own: a call is the end of what the model said, outputs are said to
    it. What was seen behind one of them stands behind the message that it has become; what was seen behind an item
    that is forgotten, or has no words yet, behind the one in front of that."""
    if not any(item.kind != "message" for item in history.items):
        return replace(history, items=tuple(map(_harmless, history.items)))
    items: list[Item] = []
    became: dict[str | None, str | None] = {}
    before: Item | None = None
    for item in paired(remembered(history)):
        text = _text(item, limits)
        if before and item.kind != "message" and _goes_on(before, item):
            items[-1] = replace(items[-1], text=f"{items[-1].text.rstrip()}\n{text}".lstrip())
        else:
            items.append(replace(item, text=text, kind="message", call_id="", name=""))
        became[item.id] = items[-1].id
        before = item
    in_front: str | None = None
    for item in history.items:
        in_front = became[item.id] = became.get(item.id, in_front)
    video_turns = tuple(replace(each, after=became.get(each.after)) for each in history.video_turns)
    return replace(history, items=tuple(items), video_turns=video_turns, forgotten=frozenset())


def _text(item: Item, limits: WindowLimits) -> str:
    if item.kind == "function_call":
        return call_text(FunctionCall(item.call_id, item.name, without_marks(item.text)))
    if item.kind == "message":
        return without_marks(item.text)
    return output_text(limits.text(replace(item, text=without_marks(item.text))))


def _goes_on(before: Item, item: Item) -> bool:
    """A call goes on with what the model says, an output with the outputs before it."""
    if item.kind == "function_call":
        return before.role == "assistant"
    return before.kind == "function_call_output"


def _harmless(item: Item) -> Item:
    text = without_marks(item.text)
    return item if text == item.text else replace(item, text=text)
