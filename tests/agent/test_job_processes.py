"""The processes of jobs: what ends them, and what is known of their ends. Each test runs a worker of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

from agent.job_processes import end_on_own_sigterm

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


def worker(script: str) -> subprocess.Popen[str]:
    """A process that leads a group, as a worker does under a supervisor."""
    before = """
        import asyncio, signal, time
        from agent.job_processes import JobProcesses
        from tests.agent.test_job_processes import ends, rests, terminates_itself

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
    """
    code = dedent(before) + dedent(script)
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def rests() -> None:
    end_on_own_sigterm()
    time.sleep(1.0)


def ends() -> None:
    """At once."""


def terminates_itself() -> None:
    """As LiveKit's library does that has lost its head."""
    end_on_own_sigterm()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_S)


def test_a_signal_to_the_whole_group_leaves_the_end_of_a_job_to_its_worker() -> None:
    """As systemd, `timeout` or a terminal send it."""
    running = worker("""
        job = JobProcesses().Process(target=rests)
        job.start()
        time.sleep(0.5)
        print("begun", flush=True)
        job.join()
        print(job.exitcode)
    """)
    assert running.stdout and running.stdout.readline() == "begun\n"
    os.killpg(running.pid, signal.SIGTERM)
    os.killpg(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert (said, running.returncode) == ("0\n", 0)


def test_a_job_that_terminates_itself_has_ended_badly() -> None:
    running = worker("""
        job = JobProcesses().Process(target=terminates_itself)
        job.start()
        job.join()
        print(job.exitcode)
    """)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert said == f"{-signal.SIGTERM}\n"


def test_the_end_of_a_job_is_known_however_many_threads_look_for_it() -> None:
    running = worker("""
        async def main():
            context, codes, joining = JobProcesses(), [], {}
            loop = asyncio.get_running_loop()
            for _ in range(150):
                job = context.Process(target=ends)
                await loop.run_in_executor(None, job.start)  # which looks for those that have ended
                joining[asyncio.ensure_future(asyncio.to_thread(job.join))] = job
                if len(joining) >= 4:
                    done, _ = await asyncio.wait(joining, return_when=asyncio.FIRST_COMPLETED)
                    codes += [joining.pop(each).exitcode for each in done]
            print(set(codes))

        asyncio.run(main())
    """)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert said == "{0}\n"
