"""What an agent that is called in place of one that died is told, as metadata of its dispatch."""

from typing import Literal

import msgspec

from agent.persona.wishes import PERSONA


class FailoverMetadata(msgspec.Struct, frozen=True):
    """The job goes on with a call that has begun.

    Attributes:
        resume_token: The token of the conversation; empty if that is lost.
    """

    resume_token: str = ""

    def metadata(self, persona: msgspec.Raw | None = None) -> str:
        """What the dispatch is given.

        Args:
            persona: Who the lost agent was by its own dispatch, if that said so: the one in its place is the same.
        """
        return msgspec.json.encode(_Metadata(1, self, persona or msgspec.UNSET)).decode()


class _Metadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tells ours from whatever else somebody gives a dispatch along, which may be JSON, too."""

    version: Literal[1] = msgspec.field(name="aura.failover.version")
    recalled: FailoverMetadata = msgspec.field(name="aura.failover")
    persona: msgspec.Raw | msgspec.UnsetType = msgspec.field(name=PERSONA, default=msgspec.UNSET)


def failover_metadata(metadata: str) -> FailoverMetadata | None:
    """Reads a dispatch's metadata; None: the call is new, and what the metadata says is not for us."""
    try:
        return msgspec.json.decode(metadata, type=_Metadata).recalled if metadata else None
    except (msgspec.DecodeError, UnicodeError):
        return None
