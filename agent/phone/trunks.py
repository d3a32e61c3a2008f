"""The inbound trunks and dispatch rules at the LiveKit server: who may call, and who takes the call."""

import aiohttp
from google.protobuf.duration_pb2 import Duration
from livekit import api
from livekit.api.sip_service import SipService

from agent.rooms.rooms import dispatches
from agent.settings.phone import Encryption
from agent.settings.trunk import TrunkSettings

PHONE, UNLISTED = "phone", "unlisted"  # how the names of their rooms begin, by which the worker knows a call
OUT = f"{PHONE}_out_"  # of a call that the agent makes
RINGING_S = 45  # then a call that no agent takes is refused as busy
GOODBYE_S = 30  # the agent ends a call that is too long by itself; the bridge, so much later
NO_PHONES = "sip not connected"  # that is how a LiveKit server without Redis says it
UNNAMED = "aura"  # an agent that comes into every room
EMPTY_S = 1  # that a room outlives its call
VIA = "aura.sip.via"  # how a call came, as its first `Via` says: an attribute of the caller


class NotMade(Exception):
    """The trunks could not be made; says why."""


async def make_trunks(settings: TrunkSettings) -> None:
    """Make what is not there yet, and bring up to date what is.

    Who dials a number that is not listed must show the password too, and is then refused: without a trunk for them,
    the bridge would not answer at all.

    Raises:
        NotMade: The LiveKit server cannot be reached, knows of no phones, or refuses.
    """
    livekit = settings.livekit
    try:
        async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret) as server:
            for kind, numbers in ((PHONE, settings.numbers), (UNLISTED, ())):
                name = f"{livekit.agent_name or UNNAMED} {kind}" if kind == PHONE else kind
                trunk_id = await _ensure_trunk(server.sip, _trunk(settings, name, numbers))
                await _ensure_rule(server.sip, _rule(livekit.agent_name, name, kind, trunk_id))
    except api.TwirpError as error:
        raise NotMade(f"the trunks could not be made: {in_words(error)}") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotMade(f"no LiveKit server answers at {livekit.url}") from error


def _trunk(settings: TrunkSettings, name: str, numbers: tuple[str, ...]) -> api.SIPInboundTrunkInfo:
    return api.SIPInboundTrunkInfo(
        name=name,
        numbers=numbers,
        allowed_addresses=settings.addresses,
        auth_username=settings.user,
        auth_password=settings.password,
        ringing_timeout=Duration(seconds=RINGING_S),
        max_call_duration=Duration(seconds=settings.longest_s + GOODBYE_S),
        media=api.SIPMediaConfig(encryption=srtp(settings.encryption)),
        headers_to_attributes={"Via": VIA} if settings.encryption == "require" else {},
    )


def srtp(encryption: Encryption) -> api.SIPMediaEncryption:
    """What LiveKit is told of the sound."""
    match encryption:
        case "require":
            return api.SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE
        case "allow":
            return api.SIPMediaEncryption.SIP_MEDIA_ENCRYPT_ALLOW
        case "none":
            return api.SIPMediaEncryption.SIP_MEDIA_ENCRYPT_DISABLE


def over_tls(via: str) -> bool:
    """Whether a call came over TLS, by its first `Via`: `SIP/2.0/TLS host:port;…`. A bridge that listens for TLS takes
    calls over UDP and TCP at the same address, too, and cannot be told not to."""
    return via.partition(" ")[0].upper().endswith("/TLS")


def _rule(agent_name: str, name: str, kind: str, trunk_id: str) -> api.SIPDispatchRuleInfo:
    """A room per call, named after the number that was dialled: the other names that there are show digits of the
    caller's, and names of rooms are logged."""
    callee = api.SIPDispatchRuleCallee(room_prefix=kind, randomize=True)
    return api.SIPDispatchRuleInfo(
        name=name,
        trunk_ids=[trunk_id],
        hide_phone_number=True,
        rule=api.SIPDispatchRule(dispatch_rule_callee=callee),
        room_config=api.RoomConfiguration(agents=dispatches(agent_name), departure_timeout=EMPTY_S),
    )


async def _ensure_trunk(sip: SipService, trunk: api.SIPInboundTrunkInfo) -> str:
    listed = await sip.list_inbound_trunk(api.ListSIPInboundTrunkRequest())
    if found := next((each for each in listed.items if each.name == trunk.name), None):
        await sip.update_inbound_trunk(found.sip_trunk_id, trunk)
        return found.sip_trunk_id
    return (await sip.create_inbound_trunk(api.CreateSIPInboundTrunkRequest(trunk=trunk))).sip_trunk_id


async def _ensure_rule(sip: SipService, rule: api.SIPDispatchRuleInfo) -> None:
    listed = await sip.list_dispatch_rule(api.ListSIPDispatchRuleRequest())
    if found := next((each for each in listed.items if each.name == rule.name), None):
        await sip.update_dispatch_rule(found.sip_dispatch_rule_id, rule)
    else:
        await sip.create_dispatch_rule(api.CreateSIPDispatchRuleRequest(dispatch_rule=rule))


def in_words(error: api.TwirpError) -> str:
    """Why the LiveKit server did nothing, for whoever asked."""
    if NO_PHONES in error.message:
        return "this stack takes no phone calls; start it with infra/up --phone"
    return error.message


def of_phone(room: str) -> bool:
    """Whether it is a room that our trunks make, into which a phone will come: told by its name before it is there."""
    return room.startswith((f"{PHONE}_", f"{UNLISTED}_"))
