"""The names in a client's settings: what is told of one that nobody has."""

import pytest

from pipeline.errors import RequestError
from pipeline.realtime.protocol.known_names import check_model


@pytest.mark.parametrize(("length", "hint"), [(64, True), (65, False), (16_000_000, False)])
def test_only_a_name_of_some_length_is_compared_with_those_that_are_known(length: int, hint: bool) -> None:
    with pytest.raises(RequestError) as refused:
        check_model("m" * (length - 1) + "x", "m" * min(length, 80), "session.model")
    assert ("did you mean" in refused.value.message) is hint
    assert len(refused.value.message) < 300
