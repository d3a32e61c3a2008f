from typing import Literal

Kind = Literal["speech", "backchannel", "noise"]


def label(text: str) -> Kind:
    return "speech" if text else "noise"
