"""How long the talker of Qwen3-Omni takes for a frame when nobody paces it: its engine is granted all frames at once.

`python -m tests.gpu.omni_frames --deployment FILE --models DIR [-o omni_frames.json] [--tiny]`: a part of
`tests.gpu.qwen3_omni`. Behind the server an answer is made only so far ahead of its playback, so what passes between
its chunks there is the pace of who hears it. Here the engine stands alone, as the deployment has it.
"""

import argparse
import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from infra.bench.base.figures import percentile
from pipeline.deployment.loading import read_deployment
from pipeline.engines.qwen3_omni.setup import CODE_DRAWS, PAGE_ROWS, ROWS, first_thought, open_omni_talker
from pipeline.engines.qwen3_omni.talker import ANY, OmniTalkerEngine, OmniTalkerSettings
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.vllm.start import start_vllm
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_tts.extra_args import CODES
from pipeline.models.qwen3_tts.prompt import VoiceChoice
from pipeline.models.qwen3_tts.sentence import FRAMES_A_TOKEN, FramePace
from pipeline.models.shared.engine_io import RequestSampling, StreamingPromptEngine
from pipeline.runtime.profiles import PROFILES
from pipeline.runtime.vllm_engine_registry import VllmHost, told_engine
from tests.gpu.sections import Report, Row

CALLERS, FRAMES, TRIES = (1, 4, 8), 250, 3  # 20 s of sound
CALLERS_TINY, FRAMES_TINY, TRIES_TINY = (1, 2), 24, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deployment", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, default=Path("omni_frames.json"))
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    asyncio.run(_measure(Report(args.out.absolute()), args.deployment, args.models, tiny=args.tiny))


async def _measure(report: Report, file: Path, models: Path, *, tiny: bool) -> None:
    profile = PROFILES["qwen3_omni"]
    deployment = read_deployment(file, profile.topology, profile.engine_keys(models))
    stage = deployment.stage(profile.topology.stage("talker").stage_id)
    told, started = told_engine(VllmHost(), stage, "talker"), list[StreamingPromptEngine]()

    async def start(*args: Any, **kwargs: Any) -> Any:
        requests = await start_vllm(*args, **kwargs)
        started.append(requests)
        return requests

    engine = await open_omni_talker(models, max_sessions=stage.max_batch_size, **told | {"start": start})
    config, frames = read_omni(models / stage.engine_args["model"]), FRAMES_TINY if tiny else FRAMES
    try:
        sampling = SamplingDefaults.told(stage.sampling).sampling((), CODES)
        unpaced = unpaced_talker(started[0], config, sampling, frames, stage.engine_args["dtype"])
        for callers in CALLERS_TINY if tiny else CALLERS:
            tries = TRIES_TINY if tiny else TRIES
            report.add(f"frames, callers {callers}", [await frame_row(unpaced, config, callers, frames, tries)])
    finally:
        await engine.aclose()


def unpaced_talker(
    requests: StreamingPromptEngine, config: OmniConfig, sampling: RequestSampling, frames: int, dtype: str
) -> OmniTalkerEngine:
    """A talker that asks for all frames of an answer in one part; with no stop none ends it, whatever the weights."""
    pace = FramePace(ahead=ANY, frames=frames, least=0, ids=ANY)
    voice = VoiceChoice(next(iter(config.talker.speaker_id)))
    layout = RowLayout(ROWS, config.thinker.hidden_size, dtype, max(CALLERS), PAGE_ROWS)
    return OmniTalkerEngine(requests, config, OmniTalkerSettings(voice, sampling, CODE_DRAWS, pace), layout)


async def frame_row(engine: OmniTalkerEngine, config: OmniConfig, callers: int, frames: int, tries: int) -> Row:
    """Answers to so many callers at once: ms from its first frame to its last, by frames; and to its first one."""
    found: list[tuple[float, float, int]] = []
    for number in range(tries):
        async with asyncio.TaskGroup() as tasks:
            asking = [
                tasks.create_task(_answer(engine, config, f"frames.{number}.{at}", frames), name=f"caller {at}")
                for at in range(callers)
            ]
        found += [task.result() for task in asking]
    assert {made for _, _, made in found} == {found[0][2]}, "each of them is spoken whole"
    row: Row = {"callers": callers, "answers": len(found), "frames": found[0][2]}
    for name, ms in (("first_ms", [each[0] for each in found]), ("frame_ms", [each[1] for each in found])):
        row |= {f"{name}_p50": percentile(ms, 50), f"{name}_most": max(ms)}
    return row


async def _answer(engine: OmniTalkerEngine, config: OmniConfig, name: str, frames: int) -> tuple[float, float, int]:
    clock = asyncio.get_running_loop().time
    asked, came = clock(), list[tuple[float, int]]()
    async with aclosing(engine.generate(name, _words(config, frames))) as chunks:
        async for chunk in chunks:
            if len(chunk.frames):
                came.append((clock(), len(chunk.frames)))
    after_first = sum(made for _, made in came[1:])
    first, last = came[0][0], came[-1][0]
    return 1_000 * (first - asked), 1_000 * (last - first) / max(after_first, 1), came[0][1] + after_first


async def _words(config: OmniConfig, frames: int) -> AsyncGenerator[ThoughtChunk, None]:
    """Words enough for so many frames, all of them at once."""
    opening = first_thought(config)
    words = (opening.spoken * frames)[: max(frames // FRAMES_A_TOKEN, 1)]
    yield replace(opening, spoken=words)


if __name__ == "__main__":
    main()
