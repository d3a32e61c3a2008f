"""Builds livekit-server from the module pinned in infra/livekit, every byte of it verified by go.sum."""

from infra.launcher.progress import Board
from infra.launcher.setup.toolchains import find_go
from infra.launcher.stamps import Stamp
from infra.launcher.workshop import Workshop

PACKAGE = "github.com/livekit/livekit-server/cmd/server"
FLAGS = ("-trimpath", "-ldflags", "-s -w")


async def build_livekit_server(shop: Workshop, board: Board) -> None:
    """The program at `layout.livekit_server`."""
    layout = shop.layout
    module = layout.root / "infra" / "livekit"
    target = layout.livekit_server
    stamp = Stamp.of(layout.stamp("livekit-server"), FLAGS, [module / "go.mod", module / "go.sum"])
    async with board.step("livekit build") as step:
        if stamp.holds(target):
            step.keep()
            return
        go = await find_go(shop, board, module / "go.mod")
        step.note(go.version)
        partial = target.with_suffix(".partial")
        await shop.run(
            "livekit build",
            ["go", "build", *FLAGS, "-o", partial, PACKAGE],
            cwd=module,
            env={**shop.path_with(go.folder), "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"},
        )
        partial.replace(target)
        stamp.write()
