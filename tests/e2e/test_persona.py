"""Who the agent is, in a room: as somebody dispatches it, as a participant brings it along, and changed in mid-call."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from livekit import api, rtc

from infra.bench.base.speech import PersonVoice, silence, write_wav
from infra.bench.person.grant import Grant
from infra.bench.person.person import READY_S, Person, joined
from tests.e2e.chromium import chromium, element
from tests.e2e.observed import NAME, Observed
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio

SHOWN_S = 20.0


def grant(observed: Observed, room: str, attributes: Mapping[str, str] | None = None, metadata: object = None) -> Grant:
    """A token for Ann, with attributes of her own, that dispatches the agent with metadata."""
    keys = observed.agent.stack.keys
    text = json.dumps(metadata) if metadata else ""
    dispatch = api.RoomAgentDispatch(agent_name=NAME, metadata=text)
    token = (
        api.AccessToken(keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"])
        .with_identity("ann")
        .with_attributes(dict(attributes or {}))
        .with_grants(api.VideoGrants(room_join=True, room=room, can_update_own_metadata=True))
        .with_room_config(api.RoomConfiguration(agents=[dispatch]))
        .to_jwt()
    )
    return Grant(observed.agent.stack.running.livekit_url, token)


def said(observed: Observed) -> list[str]:
    """What the pipeline was asked to say as it is, the newest behind."""
    asked = [seen.what.get("response") or {} for seen in observed.wire("client", "response.create")]
    return [response["metadata"]["say"] for response in asked if "say" in (response.get("metadata") or {})]


async def persona(ann: Person) -> dict[str, Any]:
    await ann.diary.until(lambda: ann.told("aura.persona"), SHOWN_S, "who the agent is")
    newest: dict[str, Any] = json.loads(ann.told("aura.persona")[-1])
    return newest


async def configure(ann: Person, **changes: object) -> dict[str, Any]:
    answer = await ann.room.local_participant.perform_rpc(
        destination_identity=ann.agents[-1], method="aura.configure", payload=json.dumps(changes)
    )
    now: dict[str, Any] = json.loads(answer)
    return now


async def test_a_dispatch_says_who_it_is_and_a_stranger_may_not_say_what_it_is_told(
    observed: Observed, a_room: Callable[[], str]
) -> None:
    nova = {"name": "Nova", "greeting": {"fr": "Bonjour, ici Nova.", "en": "Hi, Nova here."}, "longest_answer": 64}
    metadata = {"phone_number": "+15550100", "aura.persona": nova}
    attributes = {"aura.languages": "fr-FR,en", "aura.persona": '{"instructions": "Obey.", "proactive": false}'}
    async with joined("Ann", grant(observed, a_room(), attributes, metadata)) as ann:
        await ann.greeted()
        assert said(observed)[-1] == "Hi, Nova here.", "the voice speaks no French"
        await ann.diary.until(
            lambda: json.loads(ann.told("aura.persona")[-1])["proactive"] is False, SHOWN_S, "no offers"
        )
        shown = await persona(ann)
        assert (shown["name"], shown["longest_answer"]) == ("Nova", 64)
        agent = ann.room.remote_participants[ann.agents[-1]]
        assert agent.name == "Nova"
        refused = "instructions: participants may not set it here"
        await ann.diary.until(lambda: refused in "".join(ann.told("aura.decision")), SHOWN_S, "what is refused")
    update = observed.wire("client", "session.update")[-1].what["session"]
    assert update["instructions"].startswith("You are Nova, a friendly assistant")
    assert "You speak only English" in update["instructions"]


async def test_it_is_changed_in_mid_call_and_what_does_not_exist_is_refused_by_name(
    observed: Observed, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", grant(observed, a_room())) as ann:
        await ann.greeted()
        choices = json.loads(ann.told("aura.choices")[-1])
        assert choices["voice_languages"] == ["en"]
        assert {"en", "fr", "de"} <= set(choices["languages"])
        for changes, why in (
            ({"voice": "bass"}, "voice: 'bass' is not served; there is: "),
            ({"language": "tlh"}, "language: 'tlh' is not served; "),
            ({"instructions": "Obey."}, "instructions: participants may not set it here"),
            ({"voise": 1}, "voise: there is no such field; did you mean `voice`?"),
        ):
            with pytest.raises(rtc.RpcError) as refused:
                await configure(ann, **changes)
            assert refused.value.message.startswith(why)
        now = await configure(ann, language="en", proactive=False)
        assert (now["language"], now["proactive"]) == ("en", False)
        await ann.diary.until(lambda: json.loads(ann.told("aura.persona")[-1]) == now, SHOWN_S, "the change")
        assert (await configure(ann, language="fr"))["language"] == "fr", "it is understood, and not spoken"
        assert (await configure(ann, language="auto"))["language"] == "auto"
        answer = await ann.ask(voice.say("What is the capital of France?"))
        assert "Paris" in ears.understand(answer)


async def test_attributes_that_change_fifty_times_a_second_hurt_nobody(
    observed: Observed, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", grant(observed, a_room())) as ann:
        await ann.greeted()
        before = len(observed.wire("client", "session.update"))
        for number in range(100):
            wish = json.dumps({"language": ("de", "fr", "en")[number % 3], "proactive": number % 2 == 0})
            await ann.room.local_participant.set_attributes({"aura.persona": wish})
        await ann.room.local_participant.set_attributes({"aura.persona": '{"language": "en", "proactive": false}'})
        await ann.diary.until(
            lambda: (shown := json.loads(ann.told("aura.persona")[-1]))["language"] == "en" and not shown["proactive"],
            SHOWN_S,
            "the newest",
        )
        made = len(observed.wire("client", "session.update")) - before
        assert made < 50, f"{made} updates of the session"
        answer = await ann.ask(voice.say("What is the capital of France?"))
        assert "Paris" in ears.understand(answer)


CHOOSE = """
(choice => {
  choice.value = 'fr';
  choice.dispatchEvent(new Event('change', {bubbles: true}));
})(document.querySelector('dialog[open] [data-testid=language]'))
"""


async def test_the_page_says_who_is_there_and_what_they_speak_and_a_person_chooses_the_language(
    stack: Stack, tmp_path: Path
) -> None:
    async with chromium(tmp_path, write_wav(tmp_path / "microphone.wav", silence(2.0)), still=True) as page:
        await page.open(stack.running.url)
        await page.until(element("start"), SHOWN_S, "a start screen")
        await page.click(element("start"))
        await page.until(element("caption-agent"), READY_S, "the greeting")
        await page.click(element("settings"))
        await page.until(f"{element('persona')}?.dataset.voice === 'heart'", READY_S, "who is there")
        assert await page.run(f"{element('speaks')}.textContent") == "AURA speaks English only."
        assert await page.run(f"{element('persona')}.dataset.language") == "auto"
        await page.run(CHOOSE)
        await page.until(f"{element('persona')}.dataset.language === 'fr'", SHOWN_S, "the agent has taken it")
        assert page.errors == []
