"""What a telephone wants of PJSIP: G.711 on loopback, no sound device, and all its work on our own thread."""

from pathlib import Path
from typing import Any

import pjsua2 as pj

from tests.e2e.telephone_wire import HOST, LINE_RATE, Install, free_port

CODEC = "PCMU/8000/1"
CALLS = 4  # its own, and the one that it makes when it is put through


def open_endpoint(folder: Path, port: int) -> tuple[Any, int]:
    """PJSIP, of which there is one in a process, and the port at which it listens."""
    endpoint = pj.Endpoint()
    endpoint.libCreate()
    config = pj.EpConfig()
    config.uaConfig.threadCnt = 0
    config.uaConfig.mainThreadOnly = True
    config.uaConfig.maxCalls = CALLS
    config.logConfig.level = 4
    config.logConfig.consoleLevel = 0
    config.logConfig.filename = str(folder / "pjsip.log")
    config.medConfig.clockRate = config.medConfig.sndClockRate = LINE_RATE
    config.medConfig.noVad = True
    endpoint.libInit(config)
    transport = pj.TransportConfig()
    transport.boundAddress, transport.port = HOST, port
    transport_id = endpoint.transportCreate(pj.PJSIP_TRANSPORT_UDP, transport)
    endpoint.libStart()
    endpoint.audDevManager().setNullDev()
    for codec in endpoint.codecEnum2():
        endpoint.codecSetPriority(codec.codecId, 255 if codec.codecId == CODEC else 0)
    return endpoint, int(endpoint.transportGetInfo(transport_id).localName.rpartition(":")[2])


def account_config(installed: Install) -> pj.AccountConfig:
    config = pj.AccountConfig()
    config.idUri = f"sip:{installed.number}@{HOST}"
    config.mediaConfig.transportConfig.boundAddress = HOST
    config.mediaConfig.transportConfig.port = free_port()  # else all have the same, and hear the one before them
    if installed.user:
        digest = pj.AuthCredInfo("digest", "*", installed.user, 0, installed.password)
        config.sipConfig.authCreds.append(digest)
    return config
