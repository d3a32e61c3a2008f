"""What a part of a soak holds is counted, and what it holds more of than before is told."""

import asyncio
import subprocess
import sys
from dataclasses import replace

from infra.bench.soak.leftovers import Held, held, left_over
from infra.bench.soak.report import leaks

WAS = Held(processes=2, pss_mb=120.0, anonymous_mb=100.0, files=7, sockets=3, threads=5, tasks=4)
TAKES = """
import socket, sys
for line in sys.stdin:
    taken = globals().get("taken", []) + [socket.socket(), open("/dev/null"), b"x" * (32 << 20)]
    print(flush=True)
"""
SERVES = """
import socket
server, kept = socket.create_server(("127.0.0.1", 0)), []
print(server.getsockname()[1], flush=True)
while True:
    kept.append(server.accept()[0])
    kept[-1].recv(1 << 16)
    kept[-1].sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 14\\r\\n\\r\\naura_tasks 4.0")
"""


def test_what_is_held_as_before_is_no_leak() -> None:
    assert left_over(WAS, WAS) == {}
    assert left_over(WAS, replace(WAS, processes=1, anonymous_mb=80.0, files=6)) == {}


def test_one_more_of_anything_is_told() -> None:
    after = replace(WAS, processes=3, files=8, sockets=4, threads=6, tasks=5)
    assert left_over(WAS, after) == {
        "processes": (2, 3),
        "files": (7, 8),
        "sockets": (3, 4),
        "threads": (5, 6),
        "tasks": (4, 5),
    }


def test_memory_may_grow_by_two_percent_and_what_others_map_does_not_count() -> None:
    assert left_over(WAS, replace(WAS, pss_mb=200.0, anonymous_mb=102.0)) == {}
    assert left_over(WAS, replace(WAS, anonymous_mb=102.5)) == {"anonymous_mb": (100.0, 102.5)}


def test_leaks_are_sought_in_the_pipeline_and_the_agent() -> None:
    more = replace(WAS, files=9)
    before = dict.fromkeys(("redis", "livekit", "pipeline", "agent"), WAS)
    after = {"redis": more, "livekit": more, "pipeline": WAS, "agent": more}
    assert leaks({"warm": before, "churn": after, "faults": after}) == {"agent": {"files": (7, 9)}}
    assert leaks({"warm": before}) == {}


def test_memory_files_and_sockets_of_a_process_are_found() -> None:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", TAKES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        found = []
        for _ in range(2):
            process.stdin.write("more\n")
            process.stdin.flush()
            process.stdout.readline()
            found.append(asyncio.run(held({"it": process.pid}, {}))["it"])
        process.stdin.close()
    more = left_over(*found)
    assert {name: after - before for name, (before, after) in more.items() if name != "anonymous_mb"} == {
        "files": 1,
        "sockets": 1,
    }
    before, after = more["anonymous_mb"]
    assert 32 <= after - before < 36


def test_who_asks_for_its_tasks_is_no_socket_that_a_part_holds() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", SERVES], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/metrics"
        found = asyncio.run(held({"it": process.pid}, {"it": url}))["it"]
        process.kill()
    assert (found.sockets, found.tasks) == (1, 4), "the one at which it listens"
