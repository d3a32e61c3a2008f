"""What an agent is called where its spans arrive."""

import pytest

from agent.telemetry.job_traces import named

ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, {"service.name": "aura-agent"}),
        ({ATTRIBUTES: "team=voice,old.service.name=x"}, {"service.name": "aura-agent"}),
        ({ATTRIBUTES: "team=voice, service.name=ours"}, {}),
        ({"OTEL_SERVICE_NAME": "ours"}, {}),
    ],
)
def test_either_variable_of_opentelemetrys_names_the_agent(environ: dict[str, str], expected: dict[str, str]) -> None:
    assert named(environ) == expected
