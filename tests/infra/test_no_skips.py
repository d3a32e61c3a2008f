"""In CI nothing is skipped but what needs a GPU."""

import pytest

from tests.infra.no_skips import SKIPPED

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("", pytest.ExitCode.OK),
        ("@pytest.mark.skip(reason='no')", SKIPPED),
        ("pytest.skip('no', allow_module_level=True)", SKIPPED),
        ("@pytest.mark.gpu\n@pytest.mark.skip(reason='no')", pytest.ExitCode.OK),
        ("@pytest.mark.xfail(strict=False, reason='no')", pytest.ExitCode.OK),
    ],
)
def test_a_skipped_test_fails_the_run(pytester: pytest.Pytester, test: str, code: int) -> None:
    pytester.makeini("[pytest]\nmarkers = gpu\n")
    pytester.makepyfile(f"import pytest\n\n{test}\ndef test_it(): assert 'xfail' not in {test!r}\n")
    result = pytester.runpytest_inprocess("-p", "tests.infra.no_skips")
    assert result.ret == code
    assert ("NOT ALLOWED TO BE SKIPPED" in result.stdout.str()) == (code != pytest.ExitCode.OK)


def test_a_skipped_test_beside_one_that_fails_is_not_tried_again(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers = gpu\n")
    pytester.makepyfile("import pytest\n\ndef test_one(): pytest.skip('no')\n\ndef test_other(): assert False\n")
    assert pytester.runpytest_inprocess("-p", "tests.infra.no_skips").ret == SKIPPED
