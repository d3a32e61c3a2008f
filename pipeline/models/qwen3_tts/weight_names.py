"""The names that a checkpoint has for the Talker's weights, and their shapes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict

from pipeline.models.qwen3_tts.config import VoiceConfig
from pipeline.models.shared.weight_shapes import Shape, biased, decoder_shapes, table_shapes

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


LAYER = (
    *(f"self_attn.{part}" for part in ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")),
    *(f"mlp.{part}_proj" for part in ("gate", "up", "down")),
    *("input_layernorm", "post_attention_layernorm"),
)


def expected_names(config: VoiceConfig) -> set[str]:
    """All that a checkpoint of this configuration has, but for what is `ELSEWHERE`."""
    talker, predictor = config.talker, config.predictor
    names = {"codec_head.weight", "model.codec_embedding.weight", "model.text_embedding.weight"}
    names |= {f"text_projection.linear_fc{i}.{kind}" for i in (1, 2) for kind in ("weight", "bias")}
    for model, layers in (("model", talker.num_hidden_layers), ("code_predictor.model", predictor.num_hidden_layers)):
        names |= {f"{model}.layers.{layer}.{part}.weight" for layer in range(layers) for part in LAYER}
        names.add(f"{model}.norm.weight")
    for book in range(predictor.num_code_groups - 1):
        names |= {f"code_predictor.model.codec_embedding.{book}.weight", f"code_predictor.lm_head.{book}.weight"}
    if predictor.hidden_size != talker.hidden_size:
        names |= {f"code_predictor.small_to_mtp_projection.{kind}" for kind in ("weight", "bias")}
    return {ROOT + name for name in names}


def expected_shapes(config: VoiceConfig) -> Iterator[tuple[str, Shape]]:
    """Of all of these."""
    talker, predictor = config.talker, config.predictor
    yield from biased(f"{ROOT}text_projection.linear_fc1", talker.text_hidden_size, talker.text_hidden_size)
    yield from biased(f"{ROOT}text_projection.linear_fc2", talker.hidden_size, talker.text_hidden_size)
    if predictor.hidden_size != talker.hidden_size:
        name = f"{ROOT}code_predictor.small_to_mtp_projection"
        yield from biased(name, predictor.hidden_size, talker.hidden_size)
    yield from decoder_shapes(f"{ROOT}model.", asdict(talker))
    yield from decoder_shapes(f"{ROOT}code_predictor.model.", asdict(predictor))
    codes = f"{ROOT}codec_head.weight", f"{ROOT}model.codec_embedding.weight"
    yield from table_shapes(codes, talker.vocab_size, talker.hidden_size)
    yield from table_shapes((f"{ROOT}model.text_embedding.weight",), talker.text_vocab_size, talker.text_hidden_size)
    books = range(predictor.num_code_groups - 1)
    embeddings = tuple(f"{ROOT}code_predictor.model.codec_embedding.{book}.weight" for book in books)
    heads = tuple(f"{ROOT}code_predictor.lm_head.{book}.weight" for book in books)
    yield from table_shapes(embeddings, predictor.vocab_size, talker.hidden_size)
    yield from table_shapes(heads, predictor.vocab_size, predictor.hidden_size)


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
