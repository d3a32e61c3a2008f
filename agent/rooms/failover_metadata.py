"""What an agent that is called in place of one that died is told, as metadata of its dispatch."""

import msgspec


class FailoverMetadata(msgspec.Struct, frozen=True):
    """The job goes on with a call that has begun.

    Attributes:
        line: The resume token of the conversation; empty if that is lost.
    """

    line: str = ""

    def metadata(self) -> str:
        return msgspec.json.encode(self).decode()


def failover_metadata(metadata: str) -> FailoverMetadata | None:
    """Reads a dispatch's metadata; None: the call is new."""
    try:
        return msgspec.json.decode(metadata, type=FailoverMetadata) if metadata else None
    except msgspec.DecodeError:
        return None
