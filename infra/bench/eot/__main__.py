"""Lets `python -m infra.bench.eot` run the measurement."""

import os
import sys

from infra.bench.eot.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
