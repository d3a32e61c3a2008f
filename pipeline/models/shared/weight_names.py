"""Holds the tensors of a checkpoint against those that its model has: their names, their shapes, their kinds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.weight_files import FLOATS, Stored
from pipeline.models.shared.weight_shapes import Shape

NAMED_AT_MOST = 8  # names in one fault; a checkpoint of another model would list thousands


def check_weights(
    wanted: Mapping[str, Shape], given: Sequence[Stored], source: str, optional: Collection[str] = ()
) -> None:
    """Checks that a checkpoint's tensors have the names, kinds and shapes that a model wants.

    Args:
        optional: Which of the wanted weights may be missing.

    Raises:
        ConfigError: Lists the weights that are missing, that nothing uses, that are no numbers as an engine computes
            with, or that have another shape.
    """
    faults = list(_name_faults(wanted, [tensor.name for tensor in given], optional))
    known = [tensor for tensor in given if tensor.name in wanted]
    if strange := [f"{tensor.name} is {quoted(tensor.kind)}" for tensor in known if tensor.kind not in FLOATS]:
        faults.append(f"weights of another kind than {', '.join(FLOATS)}: {some(strange)}")
    if wrong := [
        f"{tensor.name} is {tensor.shape}, not {wanted[tensor.name]}"
        for tensor in known
        if not _fits(tensor.shape, wanted[tensor.name])
    ]:
        faults.append(f"weights of another shape: {some(wrong)}")
    if faults:
        raise ConfigError(source, faults)


def check_names(wanted: Iterable[str], given: Iterable[str], source: str, optional: Collection[str] = ()) -> None:
    """Checks that the names given are the names wanted.

    Raises:
        ConfigError: Lists the names that are missing, and those that nothing uses.
    """
    if faults := list(_name_faults(wanted, given, optional)):
        raise ConfigError(source, faults)


def some(names: list[str]) -> str:
    """Names the first of them, and says how many more there are."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _name_faults(wanted: Iterable[str], given: Iterable[str], optional: Collection[str]) -> Iterator[str]:
    wanted, given = set(wanted), set(given)
    if missing := sorted(wanted - given - set(optional)):
        yield f"weights missing: {some(missing)}"
    if unused := sorted(given - wanted):
        yield f"weights that nothing uses: {some(unused)}"


def _fits(shape: Shape, wanted: Shape) -> bool:
    """A size that the configuration leaves to a default fits all."""
    return len(shape) == len(wanted) and not any(abs(one - other) > 0 for one, other in zip(shape, wanted, strict=True))
