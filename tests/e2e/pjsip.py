"""What a telephone wants of PJSIP: G.711, no sound device, and all its work on our own thread."""

from pathlib import Path
from typing import Any

import pjsua2 as pj

from tests.e2e.telephone_wire import LINE_RATE, Install, free_port

CODEC = "PCMU/8000/1"
CALLS = 4  # its own, and the one that it makes when it is put through


def open_endpoint(installed: Install) -> tuple[Any, int]:
    """PJSIP, of which there is one in a process, and the port at which it listens."""
    endpoint = pj.Endpoint()
    endpoint.libCreate()
    config = pj.EpConfig()
    config.uaConfig.threadCnt = 0
    config.uaConfig.mainThreadOnly = True
    config.uaConfig.maxCalls = CALLS
    config.logConfig.level = 4
    config.logConfig.consoleLevel = 0
    config.logConfig.filename = str(Path(installed.folder) / "pjsip.log")
    config.medConfig.clockRate = config.medConfig.sndClockRate = LINE_RATE
    config.medConfig.noVad = True
    endpoint.libInit(config)
    transport = pj.TransportConfig()
    transport.boundAddress, transport.port = installed.host, installed.port
    if installed.roots:
        tls = transport.tlsConfig
        tls.CaListFile, tls.verifyServer = installed.roots, True
        tls.certFile, tls.privKeyFile = installed.certificate, installed.key
    kind = pj.PJSIP_TRANSPORT_TLS if installed.roots else pj.PJSIP_TRANSPORT_UDP
    transport_id = endpoint.transportCreate(kind, transport)
    endpoint.libStart()
    endpoint.audDevManager().setNullDev()
    for codec in endpoint.codecEnum2():
        endpoint.codecSetPriority(codec.codecId, 255 if codec.codecId == CODEC else 0)
    return endpoint, int(endpoint.transportGetInfo(transport_id).localName.rpartition(":")[2])


def account_config(installed: Install) -> pj.AccountConfig:
    config = pj.AccountConfig()
    config.idUri = f"sip:{installed.number}@{installed.host}"
    config.mediaConfig.transportConfig.boundAddress = installed.host
    config.mediaConfig.transportConfig.port = free_port(
        installed.host
    )  # else all have the same, and hear the one before them
    config.mediaConfig.srtpUse = pj.PJMEDIA_SRTP_MANDATORY if installed.srtp else pj.PJMEDIA_SRTP_DISABLED
    config.mediaConfig.srtpSecureSignaling = 0  # it would not let its keys go without TLS
    if installed.user:
        digest = pj.AuthCredInfo("digest", "*", installed.user, 0, installed.password)
        config.sipConfig.authCreds.append(digest)
    return config
