"""Whether a client's number is one that can be: what is out of range is refused, not clamped."""

from pipeline.errors import RequestError


def check_range(asked: float | None, between: tuple[float, float], param: str) -> None:
    """
    Raises:
        RequestError: Names the field, and what is between.
    """
    least, most = between
    if asked is not None and not least <= asked <= most:
        raise RequestError("invalid_value", f"{param}: {asked} is not between {least} and {most}", param)
