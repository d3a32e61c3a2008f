"""Whether a client's number is one that can be: what is out of range is refused, not clamped."""

from pipeline.errors import RequestError


def check_range(request: float | None, between: tuple[float, float], param: str) -> None:
    """Checks that a number lies within bounds, which belong to it.

    Raises:
        RequestError: Names the field, and what is between.
    """
    least, most = between
    if request is not None and not least <= request <= most:
        raise RequestError("invalid_value", f"{param}: {request} is not between {least} and {most}", param)
