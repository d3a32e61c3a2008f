"""The tokens of prompts and answers, as the model's own chat template and vocabulary have them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.engines.llamacpp.server.api import ServerApi
from pipeline.models.shared.control_tokens import ControlTokens, written_by_template
from pipeline.types.chunks import ChatMessage

MORE = "\x1e"  # a mark that nobody says, where an unfinished message goes on
LIKE_NO_OTHER = (
    ChatMessage("system", "a\x1e0z"),
    ChatMessage("user", "a\x1e1z"),
    ChatMessage("assistant", "a\x1e2z"),
    ChatMessage("user", "a\x1e3z"),
)


@dataclass(frozen=True, slots=True)
class LlamaTokenizer:
    """Has the server tokenize. Every method raises `aiohttp.ClientError` once the server is gone."""

    api: ServerApi

    async def tokens(self, messages: tuple[ChatMessage, ...], *, unfinished: bool = False) -> list[int]:
        """Returns the prompt that the model's own chat template makes of the messages.

        Args:
            unfinished: The last message goes on: the prompt ends inside it, where more words cannot change it.

        Raises:
            PromptRefused: The server cannot make one.
        """
        if unfinished:
            messages = (*messages[:-1], replace(messages[-1], text=messages[-1].text + MORE))
        text = await self._rendered(messages)
        text = text.partition(MORE)[0] if unfinished else text
        tokens = await self.raw_tokens(text)
        return tokens[:-1] if unfinished else tokens

    async def raw_tokens(self, text: str) -> list[int]:
        """Returns the tokens of a text in which names of control tokens stand for these."""
        answer = await self.api.post("/tokenize", {"content": text, "add_special": True, "parse_special": True})
        return list(answer["tokens"])

    async def text(self, tokens: Sequence[int]) -> str:
        """Returns the text that the tokens spell."""
        written = await self.api.post("/detokenize", {"tokens": list(tokens)})
        return str(written["content"])

    async def control_tokens(self, vocabulary: Sequence[str]) -> ControlTokens:
        """Returns what has power over prompts: control tokens of the vocabulary, and what the chat template writes.

        Raises:
            PromptRefused: The template cannot write messages.
        """
        known = ControlTokens(vocabulary)
        marks = written_by_template(await self._rendered(LIKE_NO_OTHER), [each.text for each in LIKE_NO_OTHER], known)
        return ControlTokens((*vocabulary, *marks))

    async def _rendered(self, messages: tuple[ChatMessage, ...]) -> str:
        written = [{"role": message.role, "content": message.text} for message in messages]
        return str((await self.api.post("/apply-template", {"messages": written}))["prompt"])
