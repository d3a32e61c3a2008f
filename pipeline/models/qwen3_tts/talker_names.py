"""The names that a checkpoint has for the Talker's weights."""

from collections.abc import Iterable, Iterator, Mapping

ROOT = "talker."
ELSEWHERE = ("speaker_encoder.",)  # hears the recordings of voices to clone, which is not done here

_PACKED: Mapping[str, tuple[str, ...]] = {  # in `model.`, one parameter of ours holds several of theirs
    ".qkv_proj.": (".q_proj.", ".k_proj.", ".v_proj."),
    ".gate_up_proj.": (".gate_proj.", ".up_proj."),
}
_RENAMED: Mapping[str, str] = {
    "model.embed_tokens.": "model.codec_embedding.",
    "text_embedding.": "model.text_embedding.",
}


def checkpoint_names(parameters: Iterable[str]) -> dict[str, str]:
    """For each name in a checkpoint, the name under which the module is given that weight."""
    names: dict[str, str] = {}
    for parameter in parameters:
        for own in _unpacked(parameter):
            theirs = next((own.replace(a, b, 1) for a, b in _RENAMED.items() if own.startswith(a)), own)
            names[ROOT + theirs] = own
    return names


def _unpacked(parameter: str) -> Iterator[str]:
    for packed, parts in _PACKED.items():
        if parameter.startswith("model.") and packed in parameter:
            yield from (parameter.replace(packed, part) for part in parts)
            return
    yield parameter
