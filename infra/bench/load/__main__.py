"""Lets `python -m infra.bench.load` run the load test."""

import os
import sys

from infra.bench.load.cli import INTERRUPTED, main

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], os.environ))
    except KeyboardInterrupt:  # nobody had rung up yet
        sys.exit(INTERRUPTED)
