"""What an agent that is called in place of another one is told, as metadata of its dispatch."""

from typing import Literal

import msgspec


class FailoverMetadata(msgspec.Struct, frozen=True):
    """The job takes a call over from an agent that died, or that had no place.

    Attributes:
        resume_token: The token of the conversation; empty if that is lost.
        given: The metadata that the first agent's dispatch was given along.
        tool: The call of a tool that the lost agent showed last, as it showed it.
        history: What was said, sealed as the lost agent showed it.
        if_place: The other agent waits in the room: only a cell that has a place takes the job.
    """

    resume_token: str = ""
    given: str = ""
    tool: str = ""
    history: str = ""
    if_place: bool = False

    @property
    def begun(self) -> bool:
        """Whether there is anything to go on with: who was with an agent that never had a place is greeted."""
        return bool(self.resume_token or self.tool or self.history)

    def metadata(self) -> str:
        return msgspec.json.encode(_Metadata(1, self)).decode()


class _Metadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tells ours from whatever else somebody gives a dispatch along, which may be JSON, too."""

    version: Literal[1] = msgspec.field(name="aura.failover.version")
    recalled: FailoverMetadata = msgspec.field(name="aura.failover")


def failover_metadata(metadata: str) -> FailoverMetadata | None:
    """Reads a dispatch's metadata; None: the call is new, and what the metadata says is not for us."""
    try:
        return msgspec.json.decode(metadata, type=_Metadata).recalled if metadata else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def begun_call(metadata: str) -> FailoverMetadata | None:
    """Return what the call is gone on with; None: nobody has been with an agent that had a place."""
    recalled = failover_metadata(metadata)
    return recalled if recalled and recalled.begun else None


def given_metadata(metadata: str) -> str:
    """Return what people gave the call's dispatch along, also if an agent has died since."""
    recalled = failover_metadata(metadata)
    return recalled.given if recalled else metadata
