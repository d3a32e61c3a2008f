"""This module says who the agent is when a call begins."""

from dataclasses import dataclass, field

from agent.persona.catalogue import PersonaCatalogue
from agent.persona.persona import Persona


@dataclass(frozen=True, slots=True)
class FirstPersona:
    """Who the agent is when the call begins.

    Attributes:
        persona: Until somebody changes it.
        recalled: It has come in place of an agent that died, and apologises.
        may_remark: Where it sees something, it may speak of its own accord.
        catalogue: Who else it may be.
    """

    persona: Persona
    recalled: bool = False
    may_remark: bool = False
    catalogue: PersonaCatalogue = field(default_factory=PersonaCatalogue)

    @property
    def speaks_up(self) -> bool:
        return self.may_remark and self.persona.proactive
