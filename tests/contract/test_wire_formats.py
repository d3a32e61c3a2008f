"""Every format in which sound may come and go: what was said is what the recogniser hears."""

from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE
from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_media import LEVEL, TONE_HZ, hertz, loud, tone
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

MU, A = 255, 87.6


def mulaw(samples: NDArray[np.float64]) -> bytes:
    """G.711 μ-law by its formula, not by a table: F(x) = ln(1 + μ|x|) / ln(1 + μ)."""
    codes = np.round(127 * np.log1p(MU * np.abs(samples)) / np.log1p(MU)).astype(np.uint8)
    return bytes(~(codes | np.where(samples < 0, 0x80, 0).astype(np.uint8)))


def alaw(samples: NDArray[np.float64]) -> bytes:
    """G.711 A-law by its formula."""
    scaled = A * np.abs(samples)
    curve = np.where(scaled < 1, scaled, 1 + np.log(np.maximum(scaled, 1))) / (1 + np.log(A))
    codes = np.round(127 * curve).astype(np.uint8) | np.where(samples < 0, 0, 0x80).astype(np.uint8)
    return bytes(codes ^ 0x55)


def unmulaw(data: bytes) -> NDArray[np.float64]:
    codes = ~np.frombuffer(data, np.uint8)
    levels: NDArray[np.float64] = np.expm1((codes & 0x7F) / 127 * np.log1p(MU)) / MU
    return levels * np.where(codes & 0x80, -1, 1)


async def ask_aloud(caller: Caller, sound: bytes) -> None:
    await caller.sounds(sound)
    await caller.send("input_audio_buffer.commit")
    await caller.send("response.create")
    assert (await caller.until("response.done"))["response"]["status"] == "completed"


@pytest.mark.parametrize(
    ("sound_format", "sound"),
    [
        ({"type": "audio/pcm", "rate": 24_000}, loud(1.0)),
        ({"type": "audio/pcm"}, loud(1.0)),
        ({"type": "audio/pcm", "rate": 16_000}, loud(1.0, 16_000)),
        ({"type": "audio/pcmu"}, mulaw(tone(1.0, 8_000))),
        ({"type": "audio/pcma"}, alaw(tone(1.0, 8_000))),
    ],
    ids=["pcm 24 kHz", "pcm without a rate", "pcm 16 kHz", "mu-law", "A-law"],
)
async def test_what_is_said_is_heard(sound_format: dict[str, Any], sound: bytes) -> None:
    line = Line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        output = await caller.listens(format=sound_format, turn_detection=None)
        assert output["audio"]["input"]["format"].items() >= sound_format.items()
        await ask_aloud(caller, sound)
    heard = line.asr.prompts[-1].pcm
    assert len(heard) / SPEECH_RATE == pytest.approx(1.0, abs=0.04)
    assert hertz(heard, SPEECH_RATE) == pytest.approx(TONE_HZ, abs=1.5)
    assert float(np.sqrt(np.mean(heard**2))) == pytest.approx(LEVEL / np.sqrt(2), rel=0.03)


@pytest.mark.parametrize("of_the_session", [True, False])
async def test_an_answer_is_spoken_in_the_format_that_is_wanted(of_the_session: bool) -> None:
    audio = {"output": {"format": {"type": "audio/pcmu"}}}
    async with served() as pipeline, calling(pipeline) as caller:
        if of_the_session:
            output = await caller.updates(audio=audio)
            assert output["audio"]["output"]["format"] == {"type": "audio/pcmu"}
            response = await caller.asks()
        else:
            response = await caller.asks(audio=audio)
            assert (await caller.updates())["audio"]["output"]["format"]["type"] == "audio/pcm"
        assert response["audio"]["output"]["format"] == {"type": "audio/pcmu"}
        sound = b"".join(b64decode(event["delta"]) for event in caller.all("response.output_audio.delta"))
    spoken = unmulaw(sound)
    assert len(spoken) == pytest.approx(4 * 0.3 * 8_000, abs=1)
    assert hertz(spoken, 8_000) == pytest.approx(440, abs=2)
    assert float(np.sqrt(np.mean(spoken**2))) == pytest.approx(8_000 / 32_768 / np.sqrt(2), rel=0.05)


async def test_a_changed_format_holds_from_the_next_append_on() -> None:
    line = Line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        await ask_aloud(caller, loud(0.5))
        await caller.listens(format={"type": "audio/pcma"})
        await ask_aloud(caller, alaw(tone(0.5, 8_000)))
    assert [hertz(window.pcm, SPEECH_RATE) for window in line.asr.prompts] == pytest.approx([TONE_HZ] * 2, abs=3)


@pytest.mark.parametrize(("sound", "type_"), [(loud(0.1), "audio/pcm"), (mulaw(tone(0.1, 8_000)), "audio/pcmu")])
async def test_what_was_said_before_the_format_changes_is_kept_to_its_end(sound: bytes, type_: str) -> None:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None, format={"type": type_})
        await caller.sounds(sound)
        await caller.listens(format={"type": "audio/pcm", "rate": 16_000})
        await caller.send("input_audio_buffer.commit")
        while (event := await caller.next())["type"] != "input_audio_buffer.committed":
            assert event["type"] != "error", event


async def test_half_a_sample_waits_for_its_other_half_but_not_beyond_its_utterance() -> None:
    line = Line()
    async with served(line) as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        for _ in range(2):
            await ask_aloud(caller, loud(0.5) + b"\x7f")
        await caller.sounds(loud(0.5) + b"\x7f")
        await caller.send("input_audio_buffer.clear")
        await ask_aloud(caller, loud(0.5))
    loudness = [float(np.sqrt(np.mean(window.pcm**2))) for window in line.asr.prompts]
    assert loudness == pytest.approx([LEVEL / np.sqrt(2)] * 3, rel=0.03)
