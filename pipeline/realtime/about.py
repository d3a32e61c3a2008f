"""What a pipeline says of itself to whoever asks, before anybody talks with it: `GET /about`."""

import msgspec

from pipeline.realtime.client import ask, no_pipeline


class PipelineAbout(msgspec.Struct, frozen=True):
    """What a pipeline is, and what it can do.

    Attributes:
        model: The pipeline's own name.
        ready: It takes callers. The fields below `answers_from` say nothing before it has been for the first time.
        answers_from: The host of a server on another machine that is told what people say and writes the answers.
        sees: It looks at what a camera shows; None: not known yet.
        languages: ISO 639-1 codes that it understands, in order; empty: it does not say.
        voices: The one that speaks unless another is asked for comes first; empty: they have no names.
        voice_languages: ISO 639-1 codes of what they speak, in order; empty: it does not say.
        tools: The model that answers can call functions of its callers'.
        transcribes: What people say is written down; None: not known yet.
        missing: The stages that it runs without, each with what it lacks.
    """

    model: str
    ready: bool
    answers_from: str | None = None
    sees: bool | None = None
    languages: tuple[str, ...] = ()
    voices: tuple[str, ...] = ()
    voice_languages: tuple[str, ...] = ()
    tools: bool = False
    transcribes: bool | None = None
    missing: tuple[str, ...] = ()


async def ask_about(url: str, *, timeout_s: float = 1.0) -> PipelineAbout:
    """Ask the pipeline at `url` what it is.

    Raises:
        Unreachable: Nobody answers in time, or not with what a pipeline says.
    """
    _, told = await ask(url, "/about", timeout_s=timeout_s)
    try:
        return msgspec.json.decode(told, type=PipelineAbout)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise no_pipeline(url) from error
