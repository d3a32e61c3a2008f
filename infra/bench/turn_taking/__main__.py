"""Lets `python -m infra.bench.turn_taking` run the measurement."""

import os
import sys

from infra.bench.turn_taking.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
