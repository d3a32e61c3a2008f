"""Lets any Python run the launcher by its folder, from anywhere: `python infra/launcher up`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from infra.launcher.cli.main import main

    sys.exit(main())
