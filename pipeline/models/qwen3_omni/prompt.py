"""Lays a conversation out as the ids that the talker of Qwen3-Omni reads, position by position. Pure.

As `Qwen3OmniMoeForConditionalGeneration.generate` of transformers 5 does: what people said, then the answer's first
words beside the voice. The other words are read one a frame.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pipeline.errors import RequestError
from pipeline.models.hidden_states.extra_args import Spans
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_tts.prompt import NO_CODEC, Layout, TalkerPrompt, VoiceChoice
from pipeline.models.shared.positions import Grid

ALL = 1 << 30
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


def heard_prompt(
    config: OmniConfig, prompt: Sequence[int], grids: Sequence[tuple[int, int]] = (), most: int = ALL
) -> HeardPrompt:
    """Finds in a prompt of the thinker what its talker reads: what people said, as far as it is the newest.

    Args:
        grids: Height and width in tokens of each picture and second of video, in order.
        most: Positions that are read. Older messages are left out; of the newest one its end, no picture in part.

    Raises:
        RequestError: It does not end by beginning an answer.
    """
    starts = [at for at, id_ in enumerate(prompt) if id_ == config.im_start_token_id]
    if not starts or tuple(prompt[starts[-1] + 1 : starts[-1] + 2]) != (config.assistant_token_id,):
        raise RequestError("invalid_value", "the prompt does not end by beginning an answer", "prompt")
    said = [each for each in pairwise(starts) if prompt[each[0] + 1] == config.user_token_id]
    places = [at for begin, end in said for at in range(begin, end)]
    seen = list(_grids(config, [prompt[at] for at in places], grids))
    first = _first(places, seen, {begin for begin, _ in said}, most)
    text: list[int] = []
    spans: list[tuple[int, int]] = []
    rows = 0
    for at in places[first:]:
        if prompt[at] not in config.media_ids:
            text.append(prompt[at])
            continue
        rows += 1
        text.append(-rows)
        if spans and spans[-1][1] == at:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    kept = tuple(replace(grid, at=grid.at - first) for grid in seen if grid.at >= first)
    return HeardPrompt(tuple(text), tuple(prompt[starts[-1] :][:ROLE_TOKENS]), tuple(spans), kept)


def _grids(config: OmniConfig, ids: Sequence[int], sizes: Sequence[tuple[int, int]]) -> Iterator[Grid]:
    """Where pictures and seconds of video stand, one after the other."""
    unseen, free = iter(sizes), 0
    for at, id_ in enumerate(ids):
        if id_ in config.picture_ids and at >= free:
            grid = Grid(at, *next(unseen))
            free = grid.end
            yield grid


def _first(places: Sequence[int], seen: Sequence[Grid], begins: Collection[int], most: int) -> int:
    """From which place on they are read: where a message begins, if one does with so many left."""
    first = max(len(places) - most, 0)
    begun = next((at for at in range(first, len(places)) if places[at] in begins), None)
    if begun is not None:
        return begun
    return next((grid.end for grid in seen if grid.at < first < grid.end), first)


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
