"""How the tables of this room are written down: words between spaces, phrases between commas."""


def words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def phrases(table: str) -> frozenset[str]:
    return frozenset(table.split(", "))
