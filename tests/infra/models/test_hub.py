"""Models come from a hub by the real huggingface_hub, from a hub on loopback."""

import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec import structs

from infra.models.hub import HubFirst, ModelHub
from infra.models.source import Unavailable
from tests.infra.models.small_models import Memory, sha256, small_model

pytestmark = pytest.mark.anyio
FILES = {"/someone/small/resolve/main/model.bin": b"weights", "/someone/small/resolve/main/config.json": b"{}"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub(BaseHTTPRequestHandler):
    """Serves a few files as a hub does."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def _answer(self, *, body: bool) -> None:
        content = FILES.get(self.path, b"")
        self.send_response(200 if self.path in FILES else 404)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{sha256(content)}"')
        if self.path not in FILES:
            self.send_header("X-Error-Code", "EntryNotFound")
        self.end_headers()
        if body:
            self.wfile.write(content)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[ModelHub]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    environ = {"PATH": os.environ["PATH"], "HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "hf")}
    yield ModelHub(Path(sys.executable), environ, tmp_path / "log")
    server.shutdown()
    serving.join()
    server.server_close()


async def test_files_come_from_the_hub_that_the_environment_names(hub: ModelHub, tmp_path: Path) -> None:
    model = small_model("small", {"model.bin": b"weights", "config.json": b"{}"})
    await hub.fetch(model, model.files, tmp_path, lambda there: None)
    assert (tmp_path / "model.bin").read_bytes() == b"weights"
    assert (tmp_path / "config.json").read_bytes() == b"{}"


async def test_a_model_that_the_hub_lacks_is_unavailable(hub: ModelHub, tmp_path: Path) -> None:
    model = small_model("other", {"model.bin": b"weights"})
    with pytest.raises(Unavailable, match="other: the hub does not give all of its files"):
        await hub.fetch(model, model.files, tmp_path, lambda there: None)


async def test_a_model_of_which_no_hub_is_known_comes_from_the_index(hub: ModelHub, tmp_path: Path) -> None:
    on_hub = small_model("small", {"model.bin": b"weights"})
    elsewhere = structs.replace(small_model("eyes", {"model.onnx": b"eyes"}), hub=None)
    index = Memory({"eyes": {"model.onnx": b"eyes"}})
    both = HubFirst(hub, index)
    await both.fetch(on_hub, on_hub.files, tmp_path, lambda there: None)
    await both.fetch(elsewhere, elsewhere.files, tmp_path, lambda there: None)
    assert (tmp_path / "model.bin").read_bytes() == b"weights"
    assert index.asked == ["eyes/model.onnx"]
