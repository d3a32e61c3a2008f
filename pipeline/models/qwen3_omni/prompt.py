"""Lays a conversation out as the ids that the talker of Qwen3-Omni reads, position by position. Pure.

As `Qwen3OmniMoeForConditionalGeneration.generate` of transformers 5 does: what people said, then the answer's first
words beside the voice. The other words are read one a frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.errors import RequestError
from pipeline.models.hidden_states.extra_args import Spans
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_tts.prompt import NO_CODEC, Layout, TalkerPrompt, VoiceChoice
from pipeline.models.shared.positions import Grid

ROLE_TOKENS = 3  # of the answer's message, before its words: its mark, who speaks, a line feed


@dataclass(frozen=True, slots=True)
class HeardPrompt:
    """What of the thinker's prompt the talker reads.

    Attributes:
        text: Ids of what people said; `-1 - i` in the place of the `i`-th row of the thinker's hidden states.
        role: Ids that begin the answer.
        spans: Positions of the thinker's prompt whose hidden states are read, in order.
        grids: Where in `text` pictures and seconds of video stand.
    """

    text: tuple[int, ...]
    role: tuple[int, ...]
    spans: Spans
    grids: tuple[Grid, ...] = ()


def heard_prompt(config: OmniConfig, prompt: Sequence[int], grids: Sequence[tuple[int, int]] = ()) -> HeardPrompt:
    """Finds in a prompt of the thinker what its talker reads.

    Args:
        grids: Height and width in tokens of each picture and second of video, in order.

    Raises:
        RequestError: It does not end by beginning an answer.
    """
    starts = [at for at, id_ in enumerate(prompt) if id_ == config.im_start_token_id]
    if not starts or tuple(prompt[starts[-1] + 1 : starts[-1] + 2]) != (config.assistant_token_id,):
        raise RequestError("invalid_value", "the prompt does not end by beginning an answer", "prompt")
    text: list[int] = []
    spans: list[tuple[int, int]] = []
    placed: list[Grid] = []
    unseen = iter(grids)
    rows = 0
    for begin, end in pairwise(starts):
        if prompt[begin + 1] != config.user_token_id:
            continue
        for at in range(begin, end):
            if prompt[at] in config.picture_ids and len(text) >= max((grid.end for grid in placed), default=0):
                placed.append(Grid(len(text), *next(unseen)))
            if prompt[at] not in config.media_ids:
                text.append(prompt[at])
                continue
            rows += 1
            text.append(-rows)
            if spans and spans[-1][1] == at:
                spans[-1] = (spans[-1][0], at + 1)
            else:
                spans.append((at, at + 1))
    return HeardPrompt(tuple(text), tuple(prompt[starts[-1] :][:ROLE_TOKENS]), tuple(spans), tuple(placed))


@dataclass(frozen=True, slots=True)
class OmniPromptWriter:
    """Writes the talker's prompt for one answer, as `pipeline.models.qwen3_tts.sentence.SentenceWriter`."""

    config: OmniConfig
    heard: HeardPrompt

    @property
    def placeholder(self) -> int:
        return self.config.talker.codec_pad_id

    def write(self, text_ids: Sequence[int], voice: VoiceChoice, layout: Layout, *, ended: bool = True) -> TalkerPrompt:
        """The prompt for an answer.

        Args:
            text_ids: Ids of the answer, or of its beginning; at least one.

        Raises:
            RequestError: The checkpoint has no such voice.
        """
        assert text_ids and layout == "streaming"
        config, talker = self.config, self.config.talker
        opening = (
            *(talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id),
            *(speaker_of(config, voice.speaker), talker.codec_pad_id, talker.codec_bos_id),
        )
        bare = (*self.heard.text, *self.heard.role)
        text = (*bare, *[config.tts_pad_token_id] * (len(opening) - 2), config.tts_bos_token_id, text_ids[0])
        codec = (*[NO_CODEC] * len(bare), *opening)
        return TalkerPrompt(text, codec, self.trailing(text_ids[1:], ended=ended))

    def trailing(self, text_ids: Sequence[int], *, ended: bool) -> tuple[int, ...]:
        """More of an answer, closed if it is the last."""
        return (*text_ids, self.config.tts_eos_token_id) if ended else tuple(text_ids)


def speaker_of(config: OmniConfig, name: str) -> int:
    """The codec id of a voice.

    Raises:
        RequestError: The checkpoint has no such voice.
    """
    voices = config.talker.speaker_id
    if name.lower() not in voices:
        known = ", ".join(sorted(voices)) or "none"
        raise RequestError("invalid_value", f"unknown voice `{name}`; this checkpoint has {known}", "voice")
    return voices[name.lower()]
