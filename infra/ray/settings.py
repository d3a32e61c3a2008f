"""What the deployment of cells is told, read once; it goes to the replicas as it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CellSettings:
    """One cell, and how many of it there are.

    Attributes:
        argv: The command of the ordinary pipeline server, to which a port is added.
        env: What its process is given beside the replica's environment.
        places: Callers at once in one cell.
        gpus: GPUs of one cell; 0 for small models on CPUs.
        fewest, most: Cells.
        start_s: Within so many seconds a cell is ready.
        longest_call_s: So long a cell that is to go waits for its calls.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    places: int
    gpus: float = 0
    fewest: int = 1
    most: int = 1
    start_s: float = 1_200.0
    longest_call_s: float = 3_600.0
