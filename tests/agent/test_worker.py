"""What the worker tells the LiveKit server of itself."""

from agent.worker import reported_load

TARGET_LOAD = 0.7  # of livekit-server v1.13.5 (pkg/agent/config.go): a worker above it is given nothing


def test_a_worker_with_more_calls_reports_more_load_and_yet_is_given_the_next_call() -> None:
    loads = [reported_load(jobs, max_jobs=8) for jobs in range(9)]
    assert loads[0] == 0 and loads == sorted(set(loads))
    assert max(loads) < TARGET_LOAD
    assert reported_load(100, max_jobs=8) == loads[8]
