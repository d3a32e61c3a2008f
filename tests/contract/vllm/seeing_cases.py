"""What AURA is asked in its tests: conversations with and without a camera, drawn from seeds."""

import random
from pathlib import Path

import numpy as np

from pipeline.context.window import WindowLimits, cut, is_due
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.media.video_chunk import VideoChunk, second
from pipeline.types.chunks import MultimodalPrompt
from pipeline.types.history import History, Item
from pipeline.types.turn_request import TurnRequest

TOKENS = 64  # of each answer
GOLDENS = Path(__file__).with_name("seeing_goldens.json")
LIMITS = WindowLimits(keep_s=4, slack_s=2, groups=2, slack_groups=2, answers=2)  # what is cut is cut in these tests
KINDS = ("video", "video", "picture", "text")  # one after the other
SIZES = ((64, 64), (64, 96), (96, 64))
WORDS = ("What", "is", "that", "on", "the", "table?", "Tell", "me", "when", "you", "see", "a", "cup", "running.", "Yes")


def conversation(seed: int) -> list[History]:
    """It grows round by round: the prompt of each value goes on where that of the one before ended, or is cut."""
    chance = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    size = chance.choice(SIZES)
    history, grown = History(), []
    for name in range(chance.randrange(3, 13) if kind != "text" else 3):
        if kind == "video":
            history = history.with_video_turn(clip(seed, name, size))
        if kind != "video" or chance.random() < 0.4:
            pictures = (picture(seed, name),) if kind == "picture" and name == 1 else ()
            history = history.with_item(
                Item(f"q{name}", "user", words(chance), images=len(pictures), pictures=pictures)
            )
            grown.append(history)
            history = history.with_item(Item(f"a{name}", "assistant", words(chance)))
        else:
            grown.append(history)
        if is_due(history, LIMITS):
            history = history.cut(cut(history, LIMITS))
    return grown


def prompts(seed: int) -> list[MultimodalPrompt]:
    """Of one conversation: all but the last are only read."""
    return [multimodal_prompt(TurnRequest(history), LIMITS) for history in conversation(seed)]


def clip(seed: int, name: int, size: tuple[int, int]) -> VideoChunk:
    pixels = np.random.default_rng([seed, name]).integers(0, 256, (2, *size, 3), np.uint8)
    return second(f"{seed}.{name}", pixels[0], None if name % 3 == 2 else pixels[1])


def picture(seed: int, name: int) -> VideoChunk:
    pixels = np.random.default_rng([seed, name]).integers(0, 256, (1, 256, 256, 3), np.uint8)
    return VideoChunk(f"{seed}.{name}.p", tuple(pixels))


def words(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randrange(1, 12)))
