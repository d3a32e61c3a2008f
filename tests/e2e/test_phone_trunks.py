"""The trunks at the LiveKit server, as `infra/sip/trunks` leaves them."""

import pytest
from livekit import api

from tests.e2e.exchange import Exchange

pytestmark = pytest.mark.anyio


async def test_trunks_that_were_made_twice_are_there_once_and_ask_for_the_password(exchange: Exchange) -> None:
    keys = exchange.keys
    livekit = f"ws://127.0.0.1:{exchange.ports.livekit}"
    async with api.LiveKitAPI(livekit, keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"]) as server:
        trunks = (await server.sip.list_inbound_trunk(api.ListSIPInboundTrunkRequest())).items
        rules = (await server.sip.list_dispatch_rule(api.ListSIPDispatchRuleRequest())).items
    ours = {trunk.name: list(trunk.numbers) for trunk in trunks if trunk.name in ("aura phone", "unlisted")}
    assert ours == {"aura phone": ["100"], "unlisted": []}
    assert len({trunk.name for trunk in trunks}) == len(trunks) == len(rules)
    assert {trunk.auth_username for trunk in trunks} == {keys["AURA_SIP_USER"]}
    assert {address for trunk in trunks for address in trunk.allowed_addresses} == {"127.0.0.1/32"}
    assert all(agent.agent_name for rule in rules for agent in rule.room_config.agents)
