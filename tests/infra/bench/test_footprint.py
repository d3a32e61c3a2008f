"""What a stack costs while nobody calls is told of the processes that are there all the time."""

import asyncio
import sys
from asyncio.subprocess import PIPE

from infra.bench.base.footprint import footprints

PARENT = "import subprocess, sys, time; subprocess.run([sys.executable, '-c', sys.argv[1]]); time.sleep(60)"
CHILD = """
import sys, time
while time.process_time() < 0.3:
    pass
print(flush=True)
sys.stdin.readline()
"""


async def test_the_time_of_a_process_that_ends_meanwhile_is_not_subtracted() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, CHILD, stdin=PIPE, stdout=PIPE)
    try:
        assert process.stdin and process.stdout
        await process.stdout.readline()
        async with asyncio.TaskGroup() as tasks:
            measured = tasks.create_task(footprints({"part": process.pid}, 1.0), name="footprints")
            await asyncio.sleep(0.3)
            process.stdin.write(b"\n")
    finally:
        process.kill()
        await process.wait()
    found = measured.result()["part"]
    assert found.processes == 1, "one of the two has ended"
    assert 0 <= found.idle_cpu < 0.2
