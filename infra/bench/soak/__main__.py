"""Lets `python -m infra.bench.soak` run the soak."""

import os
import sys

from infra.bench.soak.cli import INTERRUPTED, main

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], os.environ))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
