"""What must not stand in a log or a trace: secrets, and what people said."""

from collections.abc import Iterable, Sequence

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.e2e.stack import Stack

SECRET = ("_SECRET", "_KEY", "_PASSWORD")
PAIR = "LIVEKIT_API_KEY"  # names the pair, as a user name does
LEAST_WORDS = 3  # of a sentence: `Stop.` is a word of ours, too

Traced = tuple[str, list[ExportTraceServiceRequest]]


def check_logs(stack: Stack, said: Iterable[str]) -> None:
    """Look at all of them.

    Raises:
        AssertionError: Names each log with what kind of thing is in it, and not the thing.
    """
    texts = {path.name: path.read_text(errors="replace") for path in stack.layout.logs.rglob("*.log")}
    assert texts
    assert _found(stack, said, texts) == set()


def check_traces(stack: Stack, said: Iterable[str], sent: Sequence[ExportTraceServiceRequest]) -> None:
    """Look at all spans. See `check_logs`."""
    assert _found(stack, said, {f"spans {at}": str(each) for at, each in enumerate(sent)}) == set()


def _found(stack: Stack, said: Iterable[str], texts: dict[str, str]) -> set[tuple[str, str]]:
    secrets = [value for name, value in stack.keys.items() if name.endswith(SECRET) and name != PAIR]
    words = [text.strip(" .?!").lower() for text in said if len(text.split()) >= LEAST_WORDS]
    assert secrets
    found = {(name, "a secret") for name, text in texts.items() for secret in secrets if secret in text}
    lower = {name: text.lower() for name, text in texts.items()}
    return found | {(name, "what was said") for name, text in lower.items() for each in words if each in text}
