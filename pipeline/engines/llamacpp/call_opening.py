"""Where a small model begins to write a function call: many leave out the marks. Pure."""

import re

CALL = re.compile(r"""<tool_call>|```(?:json)?\s*\[?\s*\{|\[?\s*\{\s*"(?:name|function)"\s*:""")
WHOLE = re.compile(r"\s*\[?\s*\{")  # of an answer that has no words
MAY_BE = re.compile(r"""(?:<[a-z_]{0,10}|`{1,3}[a-z]{0,4}\s*\[?\s*|\[\s*|\{\s*(?:"[a-z]{0,8}"?\s*)?)$|^\s*$""")


class CallOpening:
    """Feed it the text of an answer: words come back as soon as they cannot be the beginning of a call.

    Attributes:
        held: What may be one.
        is_open: A call has begun with what is held.
    """

    def __init__(self) -> None:
        self.held = ""
        self.is_open = False
        self._has_words = False

    def feed(self, text: str) -> str:
        """The words that are safe with `text`; once a call has begun those in front of it."""
        self.held += text
        found = (None if self._has_words else WHOLE.match(self.held)) or CALL.search(self.held)
        if found:
            self.is_open = True
            return self._release(found.start())
        may_be = MAY_BE.search(self.held)
        return self._release(may_be.start() if may_be else len(self.held))

    def _release(self, end: int) -> str:
        words, self.held = self.held[:end], self.held[end:]
        self._has_words = self._has_words or bool(words.strip())
        return words
