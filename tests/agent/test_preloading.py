"""What every job's process is made of is imported beside the worker."""

from importlib.util import find_spec

import pytest

from agent.preloading import LIVEKITS_OWN, MODULES, start_preloading


@pytest.mark.parametrize(("url", "starts"), [("ws://127.0.0.1:7880", 1), ("wss://example.org", 0)])
def test_it_begins_at_once_unless_certificates_must_be_found_first(url: str, starts: int) -> None:
    begun: list[str] = []
    start_preloading(url, lambda: begun.append(url))
    assert len(begun) == starts


@pytest.mark.parametrize("module", [*MODULES, *LIVEKITS_OWN])
def test_all_that_it_is_to_import_is_there(module: str) -> None:
    assert find_spec(module)
