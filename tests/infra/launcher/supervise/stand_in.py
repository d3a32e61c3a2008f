"""Stand-ins for the parts of a stack: small servers that are healthy at once."""

import sys

from infra.launcher.supervise.ports import choose_ports
from infra.launcher.supervise.service import Service

STAND_IN = """
import http.server, sys
class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *arguments): pass
print("listening on", sys.argv[1], flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Healthy).serve_forever()
"""


def stand_in(
    name: str, code: str = STAND_IN, start_s: float = 5.0, stop_s: float = 1.0, comes_back: bool = False
) -> Service:
    """A small part that is healthy at once, on a free port; or one that runs other code."""
    port = choose_ports({}).web
    return Service(
        name=name,
        argv=(sys.executable, "-S", "-c", code, str(port)),
        env={},
        health=f"http://127.0.0.1:{port}/health",
        start_s=start_s,
        stop_s=stop_s,
        comes_back=comes_back,
    )
