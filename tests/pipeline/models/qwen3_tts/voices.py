"""A voice's configuration as the tests want it: two speakers, one of them with a dialect."""

from dataclasses import replace

from pipeline.models.qwen3_tts.config import Kind, PredictorConfig, TalkerConfig, VoiceConfig

PAD, BOS, EOS = 2_001, 2_002, 2_003  # of the text side
ENGLISH, CHINESE, SICHUAN = 2_050, 2_055, 2_062
VIVIAN, ERIC = 3_065, 2_875

_TALKER = TalkerConfig(
    64, 128, 3, 4, 2, 32, 3_072, 2_004, 8, 1e-6, 1e6,
    codec_pad_id=2_148, codec_bos_id=2_149, codec_eos_token_id=2_150, codec_think_id=2_154, codec_nothink_id=2_155,
    codec_think_bos_id=2_156, codec_think_eos_id=2_157,
    codec_language_id={"english": ENGLISH, "chinese": CHINESE, "sichuan_dialect": SICHUAN},
    spk_id={"vivian": VIVIAN, "eric": ERIC}, spk_is_dialect={"vivian": False, "eric": "sichuan_dialect"},
)  # fmt: skip
_PREDICTOR = PredictorConfig(32, 96, 2, 4, 2, 32, 2_048, 16, 1e-6, 1e6)


def config(kind: Kind = "custom_voice", size: str = "1b7") -> VoiceConfig:
    talker = _TALKER if kind == "custom_voice" else replace(_TALKER, spk_id={}, spk_is_dialect={})
    return VoiceConfig(kind, size, PAD, BOS, EOS, talker, _PREDICTOR)
