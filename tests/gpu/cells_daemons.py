"""Two stacks of one host, each with a service of its own that shares its GPU: whether each computes on its own GPU."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.supervise.mps import TOOL, multi_process_service
from tests.gpu.chain_measures import Tell
from tests.gpu.sections import Row

WITHIN_S = 40.0
CLIENT = """
import json, sys, torch
sum = torch.ones(2048, 2048, device="cuda").matmul(torch.ones(2048, 2048, device="cuda")).sum().item()
seen = {"sum": sum, "sees": torch.cuda.device_count(), "uuid": str(torch.cuda.get_device_properties(0).uuid)}
print(json.dumps(seen), flush=True)
sys.stdin.read()
"""


async def daemons(gpus: Sequence[int], emit: Tell) -> None:
    """As `infra/up` starts them at the same time, one with each of these GPUs alone. A row of what each client saw."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with asyncio.timeout(WITHIN_S), AsyncExitStack() as stack:
            environs = list[dict[str, str]]()
            for gpu in gpus:
                environ = {**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)}
                layout = Layout(Path.cwd(), Path(folder), Path(folder) / str(gpu))
                layout.run.mkdir()
                service = multi_process_service(layout, environ, Display(sys.stderr))
                environs.append({**environ, **await stack.enter_async_context(service)})
            clients = [await _started(environ) for environ in environs]
            try:
                rows = await asyncio.gather(*map(_row, gpus, clients, environs))
                emit("a service for each GPU, as infra/up has it", rows)
            finally:
                for client in clients:
                    if client.returncode is None:
                        client.kill()
                    await client.wait()


async def _started(environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", CLIENT, stdin=PIPE, stdout=PIPE, env=environ)


async def _row(gpu: int, client: asyncio.subprocess.Process, environ: Mapping[str, str]) -> Row:
    """While it computes: how many servers its own daemon has, which is one if it is served."""
    assert client.stdout
    said = await client.stdout.readline()
    asking = await asyncio.create_subprocess_exec(TOOL, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environ)
    servers, _ = await asking.communicate(b"get_server_list\n")
    return {"gpu": gpu, "servers": len(servers.split()), **json.loads(said or b'{"failed": true}')}
