"""What is spoken in the tests of the Talker: each case in one layout, by one tiny checkpoint."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.models.qwen3_tts.prompt import Layout, VoiceChoice
from tests.contract.vllm.tiny import Kind

MOST_FRAMES = 72
GOLDENS = Path(__file__).with_name("goldens.npz")


@dataclass(frozen=True, slots=True)
class Case:
    kind: Kind
    text: str
    voice: VoiceChoice
    layout: Layout


CALM = "Speak slowly, in a calm voice."
YOUNG = "A young woman with a warm voice."
CASES = (
    Case("custom_voice", "Hello there, how are you today?", VoiceChoice("Vivian", "Auto", CALM), "streaming"),
    Case("custom_voice", "Hello there, how are you today?", VoiceChoice("Vivian", "Auto", CALM), "whole"),
    Case("custom_voice", "The sun is up.", VoiceChoice("vivian", "english", CALM), "whole"),
    Case("custom_voice", "The sun is up.", VoiceChoice("eric", "english"), "streaming"),
    Case("custom_voice", "The sun is up.", VoiceChoice("eric", "english"), "whole"),
    Case(
        "custom_voice", "I have been waiting for you since the morning.", VoiceChoice("vivian", "auto", CALM), "whole"
    ),
    Case(
        "custom_voice", "Is it raining and windy in the north of the country?", VoiceChoice("eric", "english"), "whole"
    ),
    Case("custom_voice", "No, thank you very much.", VoiceChoice("vivian", "english"), "streaming"),
    Case("custom_voice", "你好，世界！今天天气很好。", VoiceChoice("eric", "chinese"), "streaming"),
    Case("custom_voice", "我叫通义千问。", VoiceChoice("vivian", "auto"), "streaming"),
    Case("custom_voice", "请稍等一下，我马上回来。", VoiceChoice("vivian", "chinese"), "streaming"),
    Case("custom_voice", "请稍等一下，我马上回来。", VoiceChoice("vivian", "chinese"), "whole"),
    Case("custom_voice", "Guten Morgen, wie geht es dir?", VoiceChoice("vivian", "german"), "streaming"),
    Case("custom_voice", "Bitte warten Sie einen Augenblick.", VoiceChoice("vivian", "german", CALM), "streaming"),
    Case(
        "voice_design",
        "Hello there, how are you today?",
        VoiceChoice("", "english", "A quick and happy child."),
        "whole",
    ),
    Case("voice_design", "你好，世界！今天天气很好。", VoiceChoice("", "chinese", YOUNG), "streaming"),
    Case("voice_design", "Bitte warten Sie einen Augenblick.", VoiceChoice("", "german", YOUNG), "streaming"),
    Case("voice_design", "Well then, let us begin.", VoiceChoice("", "english", "An old man."), "whole"),
    Case(
        "voice_design",
        "I have been waiting for you since the morning.",
        VoiceChoice("", "english", "An old man."),
        "whole",
    ),
    Case("small", "The sun is up.", VoiceChoice("vivian", "english"), "streaming"),
)
