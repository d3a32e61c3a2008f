"""A model hub on loopback: what huggingface_hub's client asks for a snapshot, with faults on demand."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(slots=True)
class TinyHub:
    """
    Attributes:
        repos: The files of each repository.
        gated: The repositories that are for some only, with the status and the headers that others get.
        lists: False: it refuses to list a repository's tree.
        stall_at: A body stops there until somebody goes on.
        breaks: Then, once, the connection is closed.
        asked: The path and the range of each GET.
    """

    repos: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    gated: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    lists: bool = True
    stall_at: int | None = None
    breaks: bool = False
    goes_on: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    endpoint: str = ""


@contextmanager
def serving(hub: TinyHub) -> Iterator[TinyHub]:
    """Serve it as long as this context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.goes_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: TinyHub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self.hub.asked.append((urlsplit(self.path).path, self.headers["Range"]))
        self._answer(body=True)

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def _answer(self, *, body: bool) -> None:
        path = urlsplit(self.path).path.removeprefix("/").removeprefix("api/models/")
        owner, name, *rest = path.split("/")
        repo = f"{owner}/{name}"
        files = self.hub.repos.get(repo)
        if repo in self.hub.gated:
            status, headers = self.hub.gated[repo]
            self._send(status, b"", headers, body=body)
        elif files is None:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"}, body=body)
        elif not rest:
            siblings = [{"rfilename": file, "size": len(content)} for file, content in files.items()]
            self._send(200, json.dumps({"id": repo, "sha": COMMIT, "siblings": siblings}).encode(), {}, body=body)
        elif rest[0] == "tree":
            tree = [{"type": "file", "path": f, "size": len(c), "oid": _oid(c)} for f, c in files.items()]
            self._send(*((200, json.dumps(tree).encode()) if self.hub.lists else (400, b"")), {}, body=body)
        else:
            content = files["/".join(rest[2:])]
            begin = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").partition("-")[0])
            status, ranged = (206, {"Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"})
            marks = {"X-Repo-Commit": COMMIT, "ETag": f'"{_oid(content)}"', **(ranged if begin else {})}
            self._send(status if begin else 200, content[begin:], marks, body=body)

    def _send(self, status: int, content: bytes, headers: Mapping[str, str], *, body: bool) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if not body:
            return
        stall = self.hub.stall_at if self.hub.stall_at is not None and len(content) > self.hub.stall_at else None
        self.wfile.write(content[:stall])
        if stall is not None:
            self.wfile.flush()
            if self.hub.breaks:
                self.hub.breaks, self.hub.stall_at, self.close_connection = False, None, True
                return
            self.hub.goes_on.wait()


def _oid(content: bytes) -> str:
    return sha1(content).hexdigest()
