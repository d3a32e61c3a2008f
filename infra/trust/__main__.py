"""Audits all pinned packages, or writes bills of materials of them.

python -m infra.trust audit         exits with 1 if something is known against one, with 2 if somebody did not answer
python -m infra.trust sbom DIR      CycloneDX files, one for each list of packages
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from infra.trust.audit import audit
from infra.trust.bill_of_materials import write_bills
from infra.trust.toolbox import toolbox

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.trust", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("audit", help="what is known against them")
    commands.add_parser("sbom", help="what they are").add_argument("folder", type=Path, metavar="DIR")
    asked = parser.parse_args(arguments)
    tools, status = toolbox(ROOT), 0
    if asked.command == "audit":
        for finding in audit(tools):
            print(finding, flush=True)
            status = 1 if finding.faults or status == 1 else 2 if finding.unasked else status
    else:
        for path, why in write_bills(tools, asked.folder.absolute()):
            print(f"{path}: {why or 'written'}", flush=True)
            status = 1 if why else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
