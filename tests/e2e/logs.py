"""What must not stand in a log: secrets, and what people said."""

from collections.abc import Iterable

from tests.e2e.stack import Stack

SECRET = ("_SECRET", "_KEY", "_PASSWORD")
PAIR = "LIVEKIT_API_KEY"  # names the pair, as a user name does
LEAST_WORDS = 3  # of a sentence: `Stop.` is a word of ours, too


def check_logs(stack: Stack, said: Iterable[str]) -> None:
    """Look at all of them.

    Raises:
        AssertionError: Names each log with what kind of thing is in it, and not the thing.
    """
    secrets = [value for name, value in stack.keys.items() if name.endswith(SECRET) and name != PAIR]
    words = [text.strip(" .?!").lower() for text in said if len(text.split()) >= LEAST_WORDS]
    assert secrets
    found = set()
    for path in stack.layout.logs.rglob("*.log"):
        text = path.read_text(errors="replace")
        found |= {(path.name, "a secret") for secret in secrets if secret in text}
        found |= {(path.name, "what was said") for sentence in words if sentence in text.lower()}
    assert found == set()
