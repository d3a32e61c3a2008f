"""What a Qwen3-Omni checkpoint says of itself, as far as it is looked at here: vLLM reads the thinker's part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pipeline.errors import ConfigError, quoted
from pipeline.models.aura.config import AuraVisionConfig
from pipeline.models.qwen3_asr.config import AsrEncoderConfig
from pipeline.models.qwen3_tts.config import CodecConfig, PredictorConfig
from pipeline.models.shared.decoder_config import DecoderConfig
from pipeline.models.shared.fields import Few, FieldPath, Size, made_of, read_object, undivided, unequal

FILE = "config.json"
MODEL_TYPE = "qwen3_omni_moe"
THETA = 1e6  # of rotary positions, where nothing is said

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkerTextConfig(DecoderConfig):
    """The thinker's layers: each a mixture of experts."""

    moe_intermediate_size: Size
    num_experts: Few


@dataclass(frozen=True, slots=True)
class ThinkerConfig:
    """The thinker, as far as its neighbours and its weights' names tell of it.

    Attributes:
        audio_token_id, image_token_id, video_token_id: Stand in a prompt in the place of what is heard or seen.
    """

    audio_token_id: int
    image_token_id: int
    video_token_id: int
    vocab_size: Annotated[Size, FieldPath("text_config.vocab_size")]
    hidden_size: Annotated[Size, FieldPath("text_config.hidden_size")]
    num_hidden_layers: Annotated[Few, FieldPath("text_config.num_hidden_layers")]
    text: Annotated[ThinkerTextConfig, FieldPath("text_config")]
    tower: Annotated[AsrEncoderConfig, FieldPath("audio_config")]
    vision: Annotated[AuraVisionConfig, FieldPath("vision_config")]


@dataclass(frozen=True, slots=True)
class TalkerDecoderConfig(DecoderConfig):
    """The talker's layers: a mixture of experts, one of which every token goes through.

    Attributes:
        intermediate_size: Width of the projections from the thinker.
    """

    hidden_size: Size
    intermediate_size: Size
    moe_intermediate_size: Size
    shared_expert_intermediate_size: Size
    num_experts: Few
    num_experts_per_tok: Few
    num_hidden_layers: Few
    num_attention_heads: Size
    num_key_value_heads: Size
    head_dim: Size
    vocab_size: Size
    rms_norm_eps: float
    rope_theta: float


@dataclass(frozen=True, slots=True)
class OmniTalkerConfig:
    """The talker.

    Attributes:
        accept_hidden_layer: How many of the thinker's layers make what it hears in the place of sound and pictures.
        speaker_id: Voices by their lower-case names.
    """

    accept_hidden_layer: Few
    thinker_hidden_size: Size
    num_code_groups: Few
    codec_pad_id: int
    codec_bos_id: int
    codec_eos_token_id: int
    codec_nothink_id: int
    codec_think_bos_id: int
    codec_think_eos_id: int
    speaker_id: Mapping[str, int]
    decoder: Annotated[TalkerDecoderConfig, FieldPath("text_config")]
    predictor: Annotated[PredictorConfig, FieldPath("code_predictor_config")]

    def disagreements(self, where: str) -> Iterator[str]:
        yield from unequal(
            f"{where}code_predictor_config.hidden_size",
            self.predictor.hidden_size,
            f"{where}text_config.hidden_size",
            self.decoder.hidden_size,
        )


@dataclass(frozen=True, slots=True)
class Code2WavConfig:
    """What makes sound of codes."""

    codebook_size: Size
    num_quantizers: Size
    hidden_size: Size
    intermediate_size: Size
    num_attention_heads: Size
    num_key_value_heads: Size
    num_hidden_layers: Few
    decoder_dim: Size
    sliding_window: Size
    rms_norm_eps: float
    rope_theta: float
    upsample_rates: tuple[int, ...]
    upsampling_ratios: tuple[int, ...]

    @property
    def codec(self) -> CodecConfig:
        """The same, as the layers that it shares with the 12 Hz tokenizer of Qwen3-TTS want it."""
        return CodecConfig(
            latent_dim=self.hidden_size,
            codebook_dim=self.hidden_size,
            codebook_size=self.codebook_size,
            decoder_dim=self.decoder_dim,
            hidden_size=self.hidden_size,
            intermediate_size=self.intermediate_size,
            head_dim=self.hidden_size // self.num_attention_heads,
            num_attention_heads=self.num_attention_heads,
            num_key_value_heads=self.num_key_value_heads,
            num_hidden_layers=self.num_hidden_layers,
            num_quantizers=self.num_quantizers,
            num_semantic_quantizers=1,
            rms_norm_eps=self.rms_norm_eps,
            rope_theta=self.rope_theta,
            sliding_window=self.sliding_window,
            upsample_rates=self.upsample_rates,
            upsampling_ratios=self.upsampling_ratios,
        )

    def disagreements(self, where: str) -> Iterator[str]:
        yield from undivided(where, "num_attention_heads", self.num_attention_heads, "hidden_size", self.hidden_size)


@dataclass(frozen=True, slots=True)
class OmniConfig:
    """A whole checkpoint."""

    im_start_token_id: int
    im_end_token_id: int
    user_token_id: int
    assistant_token_id: int
    tts_pad_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int
    thinker: Annotated[ThinkerConfig, FieldPath("thinker_config")]
    talker: Annotated[OmniTalkerConfig, FieldPath("talker_config")]
    code2wav: Annotated[Code2WavConfig, FieldPath("code2wav_config")]

    @property
    def picture_ids(self) -> frozenset[int]:
        """Ids that stand in the place of what is seen."""
        return frozenset((self.thinker.image_token_id, self.thinker.video_token_id))

    @property
    def media_ids(self) -> frozenset[int]:
        """Ids that stand in the place of what is seen or heard."""
        return self.picture_ids | {self.thinker.audio_token_id}

    def disagreements(self, where: str) -> Iterator[str]:
        talker, thinker = self.talker, self.thinker
        yield from unequal(
            f"{where}talker_config.thinker_hidden_size",
            talker.thinker_hidden_size,
            f"{where}thinker_config.text_config.hidden_size",
            thinker.hidden_size,
        )
        yield from unequal(
            f"{where}code2wav_config.num_quantizers",
            self.code2wav.num_quantizers,
            f"{where}talker_config.num_code_groups",
            talker.num_code_groups,
        )
        if talker.accept_hidden_layer >= thinker.num_hidden_layers:
            told = quoted(talker.accept_hidden_layer)
            yield f"`{where}talker_config.accept_hidden_layer` is {told}, and the thinker has no such layer"


def read_omni(folder: Path) -> OmniConfig:
    """Reads the configuration of the checkpoint in `folder`.

    Raises:
        ConfigError: It is missing, no JSON, another model's, lacks fields, or has some that do not agree; names all.
    """
    path = folder / FILE
    raw = read_object(path)
    if raw.get("model_type") != MODEL_TYPE:
        raise ConfigError(str(path), [f"`model_type` is {quoted(raw.get('model_type'))}, not `{MODEL_TYPE}`"])
    return made_of(OmniConfig, _plain(raw), path)


def _plain(raw: Raw) -> Raw:
    """The sections under the names that older checkpoints use; transformers writes some of them anew."""
    return {name: _plain_section(value) if isinstance(value, Mapping) else value for name, value in raw.items()}


def _plain_section(raw: Raw) -> Raw:
    told = dict(_plain(raw))
    if "num_local_experts" in told:
        told.setdefault("num_experts", told["num_local_experts"])
    if isinstance(rope := told.get("rope_parameters"), Mapping):
        told.setdefault("rope_theta", rope.get("rope_theta", THETA))
    return told
