"""Who descends from a process is found, with its title, in the order in which they began."""

import subprocess
import sys

from infra.bench.base.process_tree import family

NAPS = "import time; time.sleep(60)"
BEGETS = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-S", "-c", {NAPS!r}, "grandchild"])
print(child.pid, flush=True)
child.wait()
"""


def test_children_and_theirs_are_found_and_nobody_else() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", NAPS, "other"]) as other:
        command = [sys.executable, "-S", "-c", BEGETS, "child"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            grandchild = int(child.stdout.readline())
            found = family(child.pid)
            for pid in (grandchild, child.pid):
                subprocess.run(["kill", str(pid)], check=True)
        other.kill()
    assert [process.pid for process in found] == [child.pid, grandchild]
    assert [process.title.split()[-1] for process in found] == ["child", "grandchild"]


def test_a_process_that_has_gone_has_nobody() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as gone:
        pass
    assert family(gone.pid) == []
