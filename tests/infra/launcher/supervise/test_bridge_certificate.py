"""A certificate that is renewed while the bridge runs."""

import asyncio
import io
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.aio.background_tasks import OwnedTasks
from agent.web.outside.certificates import local_certificate
from infra.launcher.base.progress import Display
from infra.launcher.supervise.for_others import ShownCertificate
from infra.launcher.supervise.phone_services import POLL_S, follow_certificate
from tests.virtual_time import VirtualTimeLoop

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


async def test_when_the_certificate_is_another_one_the_bridge_is_asked_to_end_once(
    tmp_path: Path, display: Display, screen: io.StringIO
) -> None:
    made = local_certificate(tmp_path / "now", ["aura.example"], BEGIN)
    later = local_certificate(tmp_path / "later", ["aura.example"], BEGIN)
    ended: list[float] = []
    now = asyncio.get_running_loop().time
    begun = now()
    shown = ShownCertificate(made.certificate, made.key)
    tasks = OwnedTasks()
    tasks.start(follow_certificate(shown, lambda: ended.append(now()), display), "follow")
    await asyncio.sleep(1.5 * POLL_S)
    assert not ended, "nothing has changed"

    renew(later.certificate, made.certificate)
    await asyncio.sleep(POLL_S)
    assert not ended, "the key is not that of the new certificate yet"
    assert "cannot be read" in screen.getvalue()

    renew(later.key, made.key)
    await asyncio.sleep(3 * POLL_S)
    assert ended == [begun + 3 * POLL_S]
    await tasks.aclose()


async def test_a_certificate_that_is_gone_for_a_while_ends_nothing(tmp_path: Path, display: Display) -> None:
    made = local_certificate(tmp_path, ["aura.example"], BEGIN)
    ended: list[bool] = []
    shown = ShownCertificate(made.certificate, made.key)
    tasks = OwnedTasks()
    tasks.start(follow_certificate(shown, lambda: ended.append(True), display), "follow")
    await asyncio.sleep(0.5 * POLL_S)
    made.certificate.unlink()
    await asyncio.sleep(2 * POLL_S)
    assert not ended
    await tasks.aclose()


def renew(source: Path, target: Path) -> None:
    """A file with another time, whatever the clock's grain."""
    time = target.stat().st_mtime_ns + 1_000_000_000
    target.write_bytes(source.read_bytes())
    os.utime(target, ns=(time, time))
