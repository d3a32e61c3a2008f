"""Builds livekit-server from the module pinned in infra/livekit."""

from infra.launcher.base.progress import Board
from infra.launcher.setup.go_program import GoProgram, build
from infra.launcher.setup.setup_context import Workshop


async def build_livekit_server(shop: Workshop, board: Board) -> None:
    """The program at `layout.livekit_server`."""
    layout = shop.layout
    module = layout.root / "infra" / "livekit"
    program = GoProgram("livekit-server", module, "github.com/livekit/livekit-server/cmd/server")
    await build(shop, board, program, layout.livekit_server)
