"""Lets `python -m infra.bench.latency` run the measurement."""

import os
import sys

from infra.bench.latency.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
