"""Lets `python -m infra.bench.answers` run the measurement."""

import os
import sys

from infra.bench.answers.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
