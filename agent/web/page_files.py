"""The files of the built page: compressed ahead of time, kept by browsers, and an answer for addresses without one."""

from pathlib import Path

from aiohttp import web

from agent.web.problem import Problem

# What stands in `assets/` has a digest of itself in its name: another content is another address.
ASSETS, FOR_GOOD = "assets", "public, max-age=31536000, immutable"
ANYBODY = "*"  # a sandboxed frame is of no origin, and would not be given the page's own scripts
ASK_FIRST = "no-cache"  # may be kept, and is asked for again: most often the answer is 304
TYPES = {".woff2": "font/woff2", ".webmanifest": "application/manifest+json"}  # Python's table lacks them

NOT_FOUND = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing here</title>
<style>
body { display: grid; min-height: 90vh; place-content: center; padding: 1rem; text-align: center;
  background: light-dark(#f5f2ea, #0e1412); color: light-dark(#1b2421, #ece7dc); font: 1.125rem/1.5 Georgia, serif }
h1 { margin: 0; font-weight: 400 }
a { color: light-dark(#0d6a5d, #6ad6bf) }
</style>
</head>
<body>
<h1>There is nothing at this address.</h1>
<p lang="de">Unter dieser Adresse ist nichts.</p>
<p><a href="/">To the start <span lang="de">· Zum Anfang</span></a></p>
</body>
</html>
"""


def page_routes(static: Path | None) -> list[web.RouteDef]:
    """Routes for every address that nothing else answers at.

    Args:
        static: The folder of the built page. A file with another one beside it that ends in `.br` or `.gz` is sent as
            that one to browsers that can read it.
    """
    folder = static.resolve() if static else None

    async def file(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"] or "index.html"
        path = _file(folder, name) if folder else None
        if path is None:
            return web.Response(status=404, text=NOT_FOUND, content_type="text/html")
        headers = {"Cache-Control": ASK_FIRST, "Vary": "Accept-Encoding"}
        if path.parent.name == ASSETS:
            headers |= {"Cache-Control": FOR_GOOD, "Access-Control-Allow-Origin": ANYBODY}
        if kind := TYPES.get(path.suffix):
            headers["Content-Type"] = kind
        return web.FileResponse(path, headers=headers)

    async def no_such_call(request: web.Request) -> web.Response:
        return Problem(404, "not_found", f"There is nothing at {request.path}.").response()

    return [web.route("*", "/api/{name:.*}", no_such_call), web.get("/{name:.*}", file)]


def _file(folder: Path, name: str) -> Path | None:
    """The file of that name in the folder or below; None: there is none."""
    try:
        path = (folder / name).resolve()
        return path if path.is_relative_to(folder) and path.is_file() else None
    except (OSError, ValueError):  # too long, or no name of a file
        return None
