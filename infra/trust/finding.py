"""What an audit has found, read from what its tool says."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

UNREAD = "its tool says nothing that can be read"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one audit.

    Attributes:
        what: Whose packages.
        asked: How many of them are known to whom was asked.
        faults: One line each; empty: none is known.
        unasked: Why it, or a part of it, could not be asked; empty: it could.
    """

    what: str
    asked: int = 0
    faults: tuple[str, ...] = ()
    unasked: str = ""

    def __str__(self) -> str:
        lines = [f"{self.what}: {fault}" for fault in self.faults]
        if self.asked and not self.faults:
            lines.append(f"{self.what}: nothing is known against {self.asked} packages")
        if self.unasked:
            lines.append(f"{self.what}: NOT ASKED: {self.unasked}")
        return "\n".join(lines)


def of_pip_audit(what: str, output: str, error: str) -> Finding:
    """Reads `pip-audit --format json`."""
    told = _object(output)
    if told is None:
        return Finding(what, unasked=_last(error) or UNREAD)
    packages = told.get("dependencies", [])
    skipped = [each for each in packages if each.get("skip_reason")]
    faults = tuple(
        f"{each['name']} {each['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none'}"
        for each in packages
        for fault in each.get("vulns", [])
    )
    why = f"{len(skipped)} of {len(packages)}: {skipped[0]['skip_reason']}" if skipped else ""
    return Finding(what, len(packages) - len(skipped), faults, why)


def of_npm_audit(what: str, output: str, error: str) -> Finding:
    """Reads `npm audit --json`."""
    told = _object(output) or {}
    if "vulnerabilities" not in told:
        return Finding(what, unasked=str(told.get("message") or _last(error) or UNREAD))
    count = int(told.get("metadata", {}).get("dependencies", {}).get("total", 0))
    faults = tuple(
        f"{name} {each.get('range', '')}: {each['severity']}" for name, each in told["vulnerabilities"].items()
    )
    return Finding(what, count, faults)


def of_govulncheck(what: str, output: str, error: str) -> Finding:
    """Reads `govulncheck -format json`: a stream of objects."""
    told = list(_objects(output))
    modules = [each for told_ in told for each in told_.get("SBOM", {}).get("modules", [])]
    findings = {each["finding"]["osv"]: each["finding"] for each in told if "finding" in each}
    faults = tuple(f"{osv}, mended in {each.get('fixed_version', 'none')}" for osv, each in sorted(findings.items()))
    asked = 0 if error else len(modules)
    return Finding(what, asked, faults, _last(error) or ("" if asked else UNREAD))


def _object(text: str) -> dict[str, Any] | None:
    return next(_objects(text), None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a stream of JSON, as far as it can be read."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        at = len(text) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return
        if isinstance(value, dict):
            yield value


def _last(text: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
