"""A launcher like `infra/up` with stand-ins for parts: `stand_in_stack.py RUN_DIR PART...`."""

import os
import sys
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.cli.main import run_verb
from infra.launcher.supervise.serve import own_run_folder, serve
from infra.launcher.supervise.services import Addresses
from tests.infra.launcher.supervise.stand_in import stand_in

if __name__ == "__main__":
    run = Path(sys.argv[1])
    layout = Layout(Path.cwd(), run, run)
    parts = [stand_in(name) for name in sys.argv[2:]]

    async def act(display: Display) -> None:
        with own_run_folder(layout, display) as stack:
            where = Addresses("http://page/", "http://pipeline", "ws://livekit")
            await serve(
                layout, parts, where, {"--profile": "embedded"}, stack=stack, environ=dict(os.environ), display=display
            )

    sys.exit(run_verb("up", act))
