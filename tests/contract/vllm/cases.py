"""What is spoken in the tests of the Talker: each case in one layout, by one tiny checkpoint."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.models.qwen3_tts.prompt import Layout, Voice
from tests.contract.vllm.tiny import Kind

MOST_FRAMES = 72
GOLDENS = Path(__file__).with_name("goldens.npz")


@dataclass(frozen=True, slots=True)
class Case:
    kind: Kind
    text: str
    voice: Voice
    layout: Layout


CALM = "Speak slowly, in a calm voice."
CASES = (Case("custom_voice", "Hello there, how are you today?", Voice("vivian", "english"), "streaming"),)
