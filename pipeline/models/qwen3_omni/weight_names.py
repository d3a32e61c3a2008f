"""The names that a checkpoint has for the talker's weights, and their shapes."""

from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

ROOT = "talker."
ELSEWHERE = ("thinker.", "code2wav.")
PREFIXES = (ROOT, *ELSEWHERE)  # of all weights
TEXT_TABLE = "thinker.model.embed_tokens.weight"  # the thinker's, which the talker reads words by

_RENAMED = {"model.codec_embedding.": "model.embed_tokens."}  # theirs, ours


def talker_shapes(config: OmniConfig) -> Named:
    """Yields all weights of the talker, and the thinker's table of words."""
    thinker, talker, decoder = config.thinker, config.talker, config.talker.decoder
    predictor, model = talker.predictor, f"{ROOT}model."
    small = f"{ROOT}code_predictor."
    yield TEXT_TABLE, (thinker.vocab_size, thinker.hidden_size)
    for projection in ("text_projection", "hidden_projection"):
        yield from biased(f"{ROOT}{projection}.linear_fc1", decoder.intermediate_size, thinker.hidden_size)
        yield from biased(f"{ROOT}{projection}.linear_fc2", decoder.hidden_size, decoder.intermediate_size)
    yield from ((name, shape) for name, shape in decoder_shapes(model, decoder) if ".mlp." not in name)
    for layer in range(decoder.num_hidden_layers):
        yield from _experts(f"{model}layers.{layer}.mlp.", config)
    yield from tables((f"{ROOT}codec_head", f"{model}codec_embedding"), decoder.vocab_size, decoder.hidden_size)
    yield from decoder_shapes(f"{small}model.", predictor)
    books = range(talker.num_code_groups - 1)
    embeddings = (f"{small}model.codec_embedding.{book}" for book in books)
    yield from tables(embeddings, predictor.vocab_size, predictor.hidden_size)
    yield from tables((f"{small}lm_head.{book}" for book in books), predictor.vocab_size, predictor.hidden_size)


def _experts(at: str, config: OmniConfig) -> Named:
    decoder = config.talker.decoder
    width = decoder.hidden_size
    yield f"{at}gate.weight", (decoder.num_experts, width)
    yield f"{at}shared_expert_gate.weight", (1, width)
    named = [(f"experts.{expert}", decoder.moe_intermediate_size) for expert in range(decoder.num_experts)]
    for name, inner in (*named, ("shared_expert", decoder.shared_expert_intermediate_size)):
        yield f"{at}{name}.gate_proj.weight", (inner, width)
        yield f"{at}{name}.up_proj.weight", (inner, width)
        yield f"{at}{name}.down_proj.weight", (width, inner)


def own_name(name: str) -> str:
    """The name under which the module is given a weight of the checkpoint."""
    if name == TEXT_TABLE:
        return "text_embedding.weight"
    short = name.removeprefix(ROOT)
    return next((short.replace(a, b, 1) for a, b in _RENAMED.items() if short.startswith(a)), short)
