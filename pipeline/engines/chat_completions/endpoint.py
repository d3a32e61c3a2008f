"""Says which server answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from pipeline.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """Says which server answers, by the environment: `AURA_LLM_URL`, `AURA_LLM_MODEL`, `AURA_LLM_KEY`.

    Attributes:
        url: Its API, such as `http://127.0.0.1:11434/v1`; empty: none is named.
        model: As the server names it; empty: the only one that it has.
        key: Empty: it asks for none.
    """

    url: str = ""
    model: str = ""
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The name or address of the machine that it is on; empty: none is named."""
        return urlsplit(self.url).hostname or ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Reads the three variables.

        Raises:
            ConfigError: The URL is none.
        """
        names = ("AURA_LLM_URL", "AURA_LLM_MODEL", "AURA_LLM_KEY")
        url, model, key = (environment.get(name, "").strip() for name in names)
        if url and not _is_http(url):
            raise ConfigError("environment", ["AURA_LLM_URL is no address such as http://127.0.0.1:11434/v1"])
        if not url and (model or key):
            raise ConfigError("environment", ["AURA_LLM_URL is not set, which AURA_LLM_MODEL and AURA_LLM_KEY go with"])
        return cls(url.rstrip("/"), model, key)


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its port is no number
        return False
