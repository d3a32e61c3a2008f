"""The embedded profile, and its second form, in which a server's language model answers."""

from dataclasses import replace

from pipeline.context.window import WindowLimits
from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.runtime.engine_registry import chat_kind, engines_of
from pipeline.runtime.profiles import DEPLOY, Profile
from pipeline.topology.embedded import EMBEDDED_CHAT_PIPELINE, EMBEDDED_PIPELINE
from pipeline.topology.processors import chat, embedded

NEWEST = WindowLimits(keep_s=2, slack_s=2)  # only the newest picture is looked at

EMBEDDED = Profile(
    EMBEDDED_PIPELINE,
    DEPLOY / "embedded.yaml",
    engines_of(EMBEDDED_PIPELINE),
    limits=embedded.LIMITS,
    window=NEWEST,
)
EMBEDDED_CHAT = Profile(
    EMBEDDED_CHAT_PIPELINE,
    DEPLOY / "embedded_chat.yaml",
    engines_of(EMBEDDED_CHAT_PIPELINE),
    limits=chat.LIMITS,
    answers_from=ChatEndpoint().host,
    window=NEWEST,
)


def chat_profile(endpoint: ChatEndpoint) -> Profile:
    """The second form with the language model of that server."""
    engines = {**EMBEDDED_CHAT.engines, "OpenAIChatCompletions": chat_kind(endpoint)}
    return replace(EMBEDDED_CHAT, engines=engines, answers_from=endpoint.host)
