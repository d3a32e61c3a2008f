"""What is there at the start is not looked at again, and what comes after it is let go of soon."""

import subprocess
import sys

# In a process of its own: of this one's objects nobody knows how many there are.
RINGS_IN_PROCESS = """
from pipeline.aio.startup_objects import freeze_startup_objects

class Ring:
    live = most = 0
    def __init__(self):
        self.own = self
        Ring.live += 1
        Ring.most = max(Ring.most, Ring.live)
    def __del__(self):
        Ring.live -= 1

there = [[] for _ in range(1_000_000)]
freeze_startup_objects()
for _ in range(100):
    kept = [Ring() for _ in range(2_000)]  # as calls last: objects of calls that ended are old
print(Ring.most)
"""


def test_objects_of_ended_calls_do_not_wait_for_a_quarter_of_all_that_was_loaded() -> None:
    told = subprocess.run([sys.executable, "-c", RINGS_IN_PROCESS], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 50_000
