"""Who the agent may be in a call."""

from dataclasses import replace

import pytest

from agent.persona.catalogue import PersonaCatalogue
from agent.persona.changes import PersonaChanges, PersonaRefused
from agent.persona.persona import AURA

NOVA = PersonaChanges({"name": "Nova", "voice": "vivian", "context": "Caravaggio", "language": "fr"}).applied(AURA)
BOTH = PersonaCatalogue((AURA, NOVA))


def test_one_alone_is_no_choice() -> None:
    assert (BOTH.names, PersonaCatalogue((AURA,)).names) == (("Aura", "Nova"), ())


def test_without_a_choice_a_change_is_of_who_the_agent_is_now() -> None:
    assert BOTH.changed(NOVA, PersonaChanges({"voice": "eric"})) == replace(NOVA, voice="eric")


def test_who_is_chosen_has_their_own_voice_and_words_and_the_persons_own_habits() -> None:
    now = replace(AURA, voice="eric", language="de", modality="text", speaks_first=False, proactive=False)
    nova = BOTH.changed(now, PersonaChanges({"persona": "Nova"}))
    assert (nova.name, nova.voice, nova.context, nova.greeting) == ("Nova", "vivian", "Caravaggio", NOVA.greeting)
    assert (nova.language, nova.modality, nova.speaks_first, nova.proactive) == ("de", "text", False, False)
    assert BOTH.changed(nova, PersonaChanges({"persona": "Aura"})).voice == ""


def test_what_is_asked_for_together_with_a_persona_goes_over_it() -> None:
    assert BOTH.changed(AURA, PersonaChanges({"persona": "Nova", "voice": "eric"})).voice == "eric"


@pytest.mark.parametrize(
    ("catalogue", "why"),
    [
        (BOTH, "persona: `Eve` is not offered; there is: Aura, Nova"),
        (PersonaCatalogue((AURA,)), "persona: `Eve` is not offered; there is none to choose here"),
    ],
)
def test_nobody_becomes_somebody_who_is_not_offered(catalogue: PersonaCatalogue, why: str) -> None:
    with pytest.raises(PersonaRefused, match=why):
        catalogue.changed(AURA, PersonaChanges({"persona": "Eve"}))
