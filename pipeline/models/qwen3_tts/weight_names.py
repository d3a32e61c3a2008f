"""The names that a checkpoint has for the Talker's weights, and their shapes."""

from collections.abc import Iterable, Iterator, Mapping

from pipeline.models.qwen3_tts.config import VoiceConfig
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

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


def expected_shapes(config: VoiceConfig) -> Named:
    """Yields all that a checkpoint of this configuration has, but for what is `ELSEWHERE`."""
    talker, predictor = config.talker, config.predictor
    model, small = f"{ROOT}model.", f"{ROOT}code_predictor."
    yield from biased(f"{ROOT}text_projection.linear_fc1", talker.text_hidden_size, talker.text_hidden_size)
    yield from biased(f"{ROOT}text_projection.linear_fc2", talker.hidden_size, talker.text_hidden_size)
    if predictor.hidden_size != talker.hidden_size:
        yield from biased(f"{small}small_to_mtp_projection", predictor.hidden_size, talker.hidden_size)
    yield from decoder_shapes(model, talker)
    yield from decoder_shapes(f"{small}model.", predictor)
    yield from tables((f"{ROOT}codec_head", f"{model}codec_embedding"), talker.vocab_size, talker.hidden_size)
    yield from tables((f"{model}text_embedding",), talker.text_vocab_size, talker.text_hidden_size)
    books = range(predictor.num_code_groups - 1)
    embeddings = (f"{small}model.codec_embedding.{book}" for book in books)
    yield from tables(embeddings, predictor.vocab_size, talker.hidden_size)
    yield from tables((f"{small}lm_head.{book}" for book in books), predictor.vocab_size, predictor.hidden_size)


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
