"""The names that a checkpoint has for its weights, and their shapes; vLLM passes over those that its thinker lacks."""

from pipeline.models.aura.weight_names import MergerNames, visual_shapes
from pipeline.models.qwen3_asr.weight_names import HEAD, TEXT, TOWER, tower_shapes
from pipeline.models.qwen3_omni.config import Code2WavConfig, OmniConfig
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.weight_shapes import Named, biased, decoder_shapes, tables

ROOT = "talker."
VISUAL = "thinker.visual."
MERGERS = MergerNames("merger_list", "ln_q", "mlp.0", "mlp.2")
ELSEWHERE = ("thinker.", "code2wav.")
PREFIXES = (ROOT, *ELSEWHERE)  # of all weights
TEXT_TABLE = "thinker.model.embed_tokens.weight"  # the thinker's, which the talker reads words by

_RENAMED = {"model.codec_embedding.": "model.embed_tokens."}  # theirs, ours


def thinker_shapes(config: OmniConfig) -> Named:
    """Yields all weights of the thinker."""
    thinker = config.thinker
    text = thinker.text
    yield from tower_shapes(TOWER, thinker.tower)
    yield from visual_shapes(VISUAL, thinker.vision, MERGERS)
    yield from _without_mlp(TEXT, text)
    for layer in range(text.num_hidden_layers):
        yield from _experts(
            f"{TEXT}layers.{layer}.mlp.", text.hidden_size, text.num_experts, text.moe_intermediate_size
        )
    yield from tables((f"{TEXT}embed_tokens", HEAD), text.vocab_size, text.hidden_size)


def talker_shapes(config: OmniConfig) -> Named:
    """Yields all weights of the talker, and the thinker's table of words."""
    thinker, talker, decoder = config.thinker, config.talker, config.talker.decoder
    predictor, model = talker.predictor, f"{ROOT}model."
    small = f"{ROOT}code_predictor."
    yield TEXT_TABLE, (thinker.vocab_size, thinker.hidden_size)
    for projection in ("text_projection", "hidden_projection"):
        yield from biased(f"{ROOT}{projection}.linear_fc1", decoder.intermediate_size, thinker.hidden_size)
        yield from biased(f"{ROOT}{projection}.linear_fc2", decoder.hidden_size, decoder.intermediate_size)
    yield from _without_mlp(model, decoder)
    for layer in range(decoder.num_hidden_layers):
        at = f"{model}layers.{layer}.mlp."
        yield from _experts(at, decoder.hidden_size, decoder.num_experts, decoder.moe_intermediate_size)
        yield from _expert(f"{at}shared_expert.", decoder.hidden_size, decoder.shared_expert_intermediate_size)
        yield f"{at}shared_expert_gate.weight", (1, decoder.hidden_size)
    yield from tables((f"{ROOT}codec_head", f"{model}codec_embedding"), decoder.vocab_size, decoder.hidden_size)
    yield from decoder_shapes(f"{small}model.", predictor)
    books = range(talker.num_code_groups - 1)
    embeddings = (f"{small}model.codec_embedding.{book}" for book in books)
    yield from tables(embeddings, predictor.vocab_size, predictor.hidden_size)
    yield from tables((f"{small}lm_head.{book}" for book in books), predictor.vocab_size, predictor.hidden_size)


def code2wav_shapes(config: OmniConfig) -> Named:
    """Yields all weights of Code2Wav."""
    sound, at = config.code2wav, "code2wav."
    width, inner = sound.hidden_size, sound.intermediate_size
    head = width // sound.num_attention_heads
    queries, keys = sound.num_attention_heads * head, sound.num_key_value_heads * head
    yield f"{at}code_embedding.weight", (sound.codebook_size * sound.num_quantizers, width)
    for number in range(sound.num_hidden_layers):
        layer = f"{at}pre_transformer.layers.{number}."
        for name, rows in (("q", queries), ("k", keys), ("v", keys)):
            yield f"{layer}self_attn.{name}_proj.weight", (rows, width)
        yield f"{layer}self_attn.o_proj.weight", (width, queries)
        yield from _expert(f"{layer}mlp.", width, inner)
        for name in ("input_layernorm.weight", "post_attention_layernorm.weight"):
            yield f"{layer}{name}", (width,)
        for name in ("self_attn_layer_scale.scale", "mlp_layer_scale.scale"):
            yield f"{layer}{name}", (width,)
    yield f"{at}pre_transformer.norm.weight", (width,)
    for number, ratio in enumerate(sound.upsampling_ratios):
        yield from biased(f"{at}upsample.{number}.0.conv", width, width, ratio)
        block = f"{at}upsample.{number}.1."
        yield from biased(f"{block}dwconv.conv", width, 1, 7)
        yield f"{block}gamma", (width,)
        yield from biased(f"{block}norm", width)
        yield from biased(f"{block}pwconv1", 4 * width, width)
        yield from biased(f"{block}pwconv2", width, 4 * width)
    yield from _vocoder(f"{at}decoder.", config.code2wav)


def _vocoder(at: str, sound: Code2WavConfig) -> Named:
    widths = [sound.decoder_dim >> number for number in range(len(sound.upsample_rates) + 1)]
    yield from biased(f"{at}0.conv", widths[0], sound.hidden_size, 7)
    for number, (wide, narrow, rate) in enumerate(zip(widths, widths[1:], sound.upsample_rates, strict=False), 1):
        block = f"{at}{number}.block."
        yield from _snake(f"{block}0.", wide)
        yield f"{block}1.conv.weight", (wide, narrow, 2 * rate)  # a transposed convolution: what goes in comes first
        yield f"{block}1.conv.bias", (narrow,)
        for unit in (2, 3, 4):
            for part, kernel in (("1", 7), ("2", 1)):
                yield from _snake(f"{block}{unit}.act{part}.", narrow)
                yield from biased(f"{block}{unit}.conv{part}.conv", narrow, narrow, kernel)
    yield from _snake(f"{at}{len(widths)}.", widths[-1])
    yield from biased(f"{at}{len(widths) + 1}.conv", 1, widths[-1], 7)


def _snake(at: str, width: int) -> Named:
    yield f"{at}alpha", (width,)
    yield f"{at}beta", (width,)


def _without_mlp(at: str, decoder: DecoderConfig) -> Named:
    yield from ((name, shape) for name, shape in decoder_shapes(at, decoder) if ".mlp." not in name)


def _experts(at: str, width: int, count: int, inner: int) -> Named:
    yield f"{at}gate.weight", (count, width)
    for expert in range(count):
        yield from _expert(f"{at}experts.{expert}.", width, inner)


def _expert(at: str, width: int, inner: int) -> Named:
    yield f"{at}gate_proj.weight", (inner, width)
    yield f"{at}up_proj.weight", (inner, width)
    yield f"{at}down_proj.weight", (width, inner)


def own_name(name: str) -> str:
    """The name under which the module is given a weight of the checkpoint."""
    if name == TEXT_TABLE:
        return "text_embedding.weight"
    short = name.removeprefix(ROOT)
    return next((short.replace(a, b, 1) for a, b in _RENAMED.items() if short.startswith(a)), short)
