"""Decides which page each row of a step goes to. Pure, but for the pool's table."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.models.hidden_states.extra_args import RowRequest
from pipeline.models.hidden_states.row_pool import RowPool


@dataclass(slots=True)
class OpenPage:
    """The page of a request that is being filled."""

    number: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class RowRun:
    """Positions that follow one another, and the first of the pool's rows that they go to."""

    position: int
    row: int
    count: int


class RowPlacer:
    """The places of one request's rows.

    A position of the prompt never shares a page with a token that was written, so that the two can be read and freed
    apart. A request for which there is no page gets no more of them: its reader finds rows missing. One that is begun
    again, after it was preempted, goes on behind what its pages hold already.

    Args:
        prompt: Positions of its prompt.
    """

    def __init__(self, pool: RowPool, request: RowRequest, prompt: int) -> None:
        self.pool = pool
        self._request = request
        self._prompt = prompt
        self._page: OpenPage | None = None
        self._lost = False
        self._begins = max((page.end for page in pool.pages_of(request.owner)), default=0)

    def places(self, begin: int, end: int) -> Iterator[RowRun]:
        """Yields where the rows of the wanted positions from `begin` to `end` go."""
        size = self.pool.layout.page_rows
        for first, last in self._request.wanted(max(begin, self._begins), end, self._prompt):
            while first < last:
                page = self._page_for(first)
                if page is None:
                    return
                count = min(last - first, size - page.count)
                yield RowRun(first, page.number * size + page.count, count)
                page.count += count
                self.pool.fill(page.number, page.count)
                first += count

    def _page_for(self, position: int) -> OpenPage | None:
        """The page that goes on with `position`, or None if there is none, and never will be."""
        page = self._page
        goes_on = page is not None and position == page.first + page.count != self._prompt
        if not goes_on or page is None or page.count == self.pool.layout.page_rows:
            number = None if self._lost else self.pool.take(self._request.owner, position)
            self._lost = number is None
            page = self._page = None if number is None else OpenPage(number, position, 0)
        return page
