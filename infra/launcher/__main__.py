"""Runs the launcher by its folder, from anywhere, in a venv that has what it needs: see `bootstrap`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from infra.launcher.cli.main import main

    sys.exit(main())
