"""What audits find is told, and so is what nobody has answered."""

import json

from infra.trust.finding import of_govulncheck, of_npm_audit, of_pip_audit


def test_a_known_fault_is_told_with_what_mends_it() -> None:
    packages = [
        {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]},
        {"name": "b", "version": "3", "vulns": []},
    ]
    finding = of_pip_audit("Python", json.dumps({"dependencies": packages}), "")
    assert finding.faults == ("a 1: PYSEC-1, mended in 2",)
    assert finding.asked == 2
    assert not finding.unasked


def test_packages_that_nobody_knows_are_not_called_sound() -> None:
    packages = [{"name": "a", "skip_reason": "Dependency not found"}, {"name": "b", "version": "3", "vulns": []}]
    finding = of_pip_audit("Python", json.dumps({"dependencies": packages}), "")
    assert str(finding).splitlines() == [
        "Python: nothing is known against 1 packages",
        "Python: NOT ASKED: 1 of 2: Dependency not found",
    ]


def test_an_audit_that_fails_says_why_it_could_not_be_asked() -> None:
    assert (
        of_pip_audit("Python", "", "Traceback\nConnectionError: no such host\n").unasked
        == "ConnectionError: no such host"
    )
    assert of_npm_audit("npm", '{"message": "405 Method Not Allowed"}', "").unasked == "405 Method Not Allowed"
    assert of_govulncheck("Go", '{"config": {}}', "govulncheck: no such host\n").unasked == "govulncheck: no such host"


def test_npm_and_go_tell_theirs() -> None:
    npm = {"vulnerabilities": {"x": {"severity": "high", "range": "<2"}}, "metadata": {"dependencies": {"total": 9}}}
    assert of_npm_audit("npm", json.dumps(npm), "").faults == ("x <2: high",)
    stream = '{"SBOM": {"modules": [{}]}}\n{"finding": {"osv": "GO-1", "fixed_version": "v2"}}\n'
    assert of_govulncheck("Go", stream, "").faults == ("GO-1, mended in v2",)
    assert of_govulncheck("Go", '{"SBOM": {"modules": [{}, {}]}}', "").asked == 2
