"""A pipeline of one stage, from sound to sound, behind the wire: it says what it lacks, answers and is interrupted."""

from dataclasses import dataclass, field

import pytest

from pipeline.realtime.about import ask_about
from pipeline.turns.stages import PipelineStages
from pipeline.types.capabilities import Capabilities
from tests.contract.wire_caller import calling
from tests.contract.wire_media import loud, quiet, said
from tests.echo import Echo
from tests.scenario import Line
from tests.served import served

pytestmark = pytest.mark.contract

ABLE = Capabilities("aura-echo", modalities=("audio",), transcribes=False)


@dataclass
class EchoLine(Line):
    """Hears and speaks with one engine."""

    echo: Echo = field(default_factory=Echo)

    def stages(self) -> PipelineStages:
        return self.echo.stages()


async def test_it_says_that_nothing_is_transcribed_and_promises_nothing_else() -> None:
    async with served(EchoLine(), able=ABLE) as pipeline, calling(pipeline) as caller:
        about = await ask_about(pipeline.url, timeout_s=10)
        assert (about.transcribes, about.sees) == (False, False)
        session = (await caller.until("session.created"))["session"]
        assert session["aura"]["transcribes"] is False and session["audio"]["input"]["transcription"] is None
        assert session["output_modalities"] == ["audio"]
        held = await caller.listens(transcription={"model": "whisper-1", "language": "en"})
        assert held["audio"]["input"]["transcription"] is None, "as clients ask by themselves"
        await caller.send("session.update", session={"output_modalities": ["text"]})
        refused = await caller.refusal()
        assert refused["param"] == "session.output_modalities" and "no text is made here" in refused["message"]


async def test_sound_in_sound_out_silence_and_barge_in() -> None:
    line = EchoLine()
    async with served(line, able=ABLE) as pipeline, calling(pipeline) as caller:
        await caller.sounds(said(1.0))
        done = (await caller.until("response.done"))["response"]
        assert done["status"] == "completed" and done["output"][0]["content"][0]["transcript"] == "Echo."
        assert caller.all("response.output_audio.delta")
        assert not [kind for kind in caller.types() if "transcription" in kind or "partial" in kind]
        await caller.sounds(said(0.2))
        silent = (await caller.until("response.done"))["response"]
        assert (silent["status"], silent["output"]) == ("completed", []), "to a short noise it says nothing"
        await caller.sounds(said(8.0))
        await caller.until("response.output_audio.delta")
        await caller.sounds(loud(1.0) + quiet(0.7))
        cut = (await caller.until("response.done"))["response"]
        assert (cut["status"], cut["status_details"]["reason"]) == ("cancelled", "turn_detected")
        assert (await caller.until("response.done"))["response"]["status"] == "completed"
    heard = [item.sound for item in line.echo.engine.prompts[-1].history.items if item.is_question]
    assert len(heard) == 4 and all(heard), "the model was given the sound of all that was said"
