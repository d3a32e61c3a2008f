"""What others have written has no power over a prompt."""

from dataclasses import dataclass, replace

from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.tools.prompt_format import as_text
from pipeline.types.chunks import ChatMessage, ChatPrompt


@dataclass(frozen=True, slots=True)
class PromptEscaper:
    """Breaks up the control tokens in all messages but our own.

    Attributes:
        preamble: How every prompt begins; it is ours.
        tools_preamble: How prompts begin instead that offer functions; ours too.
    """

    control: ControlTokens
    preamble: tuple[ChatMessage, ...] = ()
    tools_preamble: ChatMessage | None = None

    def messages(self, chat: ChatPrompt) -> tuple[ChatMessage, ...]:
        """The messages that the chat template is to write, functions and their calls as text."""
        messages = chat.messages
        if chat.tools.tools or any(each.calls or each.call_id for each in messages):
            ours = frozenset((*self.preamble, *filter(None, [self.tools_preamble])))
            return as_text(messages, chat.tools.tools, self.control.escape, ours)
        begins = len(self.preamble) if messages[: len(self.preamble)] == self.preamble else 0
        theirs = (replace(each, text=self.control.escape(each.text)) for each in messages[begins:])
        return (*messages[:begins], *theirs)
