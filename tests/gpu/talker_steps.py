"""Tells where the Talker's step spends its time, in the engine's own process: the host's work, and the GPU's.

`python -m tests.gpu.talker_steps [--batches 1,8,32] [--caches DIR] [--tiny]`. Full size, dummy weights. Each batch says
120 frames; a step is noted by the number of its requests and by whether one of them was read anew (`mixed`). Host times
are of the engine's one thread; GPU times lie between CUDA events, so that they cost nothing. Kernels are those of a few
steps of each batch that `torch.profiler` watches; these steps are left out of all other figures.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.gpu import voice_measures as measures
from tests.gpu.environment import environment
from tests.gpu.made_up import numbers
from tests.gpu.memory import gpu_mib
from tests.gpu.sections import Report, Row, run_section
from tests.gpu.step_notes import PLACE, tables
from tests.gpu.voice_model import write_voice
from tests.gpu.voice_section import ENGINE, ENGINE_TINY
from tests.gpu.voice_speaking import Voice

LIMIT_S = 190.0
FRAMES = 120
QUIET_S = 1.5  # after which the engine writes down what it noted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("talker_steps.json"))
    parser.add_argument("--batches", type=numbers, default=(1, 8, 16, 32))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--talker", type=json.loads, default={}, help="more of its engine, as JSON")
    parser.add_argument("--caches", type=Path, metavar="DIR", help="of an earlier start, in place of new ones")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.folder:
        asyncio.run(_measure(report, args.folder, args.batches, args.tiny, args.talker))
        return
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        folder = Path(made)
        write_voice(folder, tiny=args.tiny)
        env = environment(folder / "plugin", args.caches or folder, "tests.gpu.step_notes:register", tiny=args.tiny)
        env |= {PLACE: str(folder / "steps.json")}
        command = [sys.executable, "-m", "tests.gpu.talker_steps", "-o", str(report.path), "--folder", str(folder)]
        command += ["--batches", ",".join(map(str, args.batches)), "--talker", json.dumps(args.talker)]
        command += ["--tiny"] if args.tiny else []
        run_section("steps", command, report, LIMIT_S, env)


async def _measure(report: Report, folder: Path, batches: tuple[int, ...], tiny: bool, talker: dict[str, Any]) -> None:
    clock, frames = asyncio.get_running_loop().time, 24 if tiny else FRAMES
    begun = clock()
    voice = await Voice.open(folder, max(batches), **(ENGINE_TINY if tiny else ENGINE) | talker)
    report.add("start", [{"start_s": clock() - begun, "gpu_mib": gpu_mib()}])
    rows: list[Row] = []
    for batch in batches:
        await measures.together(batch, lambda _: voice.hear(6))
        cpu = os.times()
        heard = await measures.together(batch, lambda _: voice.hear(frames))
        spent = os.times()
        front = spent.user + spent.system - cpu.user - cpu.system
        ms = sorted(each.frame_ms for each in heard)
        rows.append({"batch": batch, "ms_a_frame": ms[len(ms) // 2], "front_cpu_ms_a_step": 1000 * front / frames})
    report.add("frames, as the caller sees them (some steps are profiled)", rows)
    await asyncio.sleep(QUIET_S)
    await voice.hear(2)
    for name, table in tables(Path(os.environ[PLACE])):
        report.add(name, table)
    await voice.aclose()


if __name__ == "__main__":
    main()
