"""This module seals the words of a call, so that the agent can show them to its successor and to nobody else."""

import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from livekit.agents import llm

from agent.livekit.chat_context import A_PICTURE, REMEMBERED

# LiveKit sends all attributes anew with each that changes, to everybody in the room: about as much as the others.
MOST_SEALED = 4_000  # letters
MOST_LETTERS = 1_000  # of one item
MOST_OPENED = 1_000_000  # bytes: what a few kB may grow to
NONCE = 12  # bytes, as AES-GCM wants them (NIST SP 800-38D)


class _Line(msgspec.Struct, frozen=True, array_like=True):
    item_id: str
    role: Literal["user", "assistant"]
    text: str


class HistorySeal:
    """Seals and opens the history of one room, by AES-GCM with a key that whoever has LiveKit's secret can derive.

    Args:
        secret: LiveKit's API secret: all workers of an installation have it.
        room: What was sealed in another room does not open.
    """

    def __init__(self, secret: str, room: str) -> None:
        key = HKDF(SHA256(), 32, salt=None, info=b"aura.history").derive(secret.encode())
        self._cipher, self._room = AESGCM(key), room.encode()

    def seal(self, items: Iterable[llm.ChatItem]) -> str:
        """Return the newest words of a conversation, sealed: as many items as fit."""
        lines = [line for item in items if (line := _line(item))][-REMEMBERED:]
        while len(sealed := self._sealed(lines)) > MOST_SEALED:
            lines = lines[len(lines) // 4 + 1 :]
        return sealed

    def open(self, sealed: str) -> list[llm.ChatMessage]:
        """Return what was sealed; nothing, if that is not ours or broken."""
        try:
            blob = b64decode(sealed, validate=True)
            packed = zlib.decompressobj()
            told = packed.decompress(self._cipher.decrypt(blob[:NONCE], blob[NONCE:], self._room), MOST_OPENED)
            lines = msgspec.json.decode(told, type=list[_Line])
        except (ValueError, InvalidTag, zlib.error, msgspec.MsgspecError):
            return []
        return [llm.ChatMessage(role=line.role, id=line.item_id, content=[line.text]) for line in lines]

    def _sealed(self, lines: Sequence[_Line]) -> str:
        nonce = os.urandom(NONCE)
        packed = zlib.compress(msgspec.json.encode(lines), 9)
        return b64encode(nonce + self._cipher.encrypt(nonce, packed, self._room)).decode()


def _line(item: llm.ChatItem) -> _Line | None:
    if not isinstance(item, llm.ChatMessage) or item.role not in ("user", "assistant"):
        return None
    text = item.raw_text_content or ""
    if not text or text == A_PICTURE:  # the picture itself is gone
        return None
    return _Line(item.id, "user" if item.role == "user" else "assistant", text[:MOST_LETTERS])
