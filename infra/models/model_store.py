"""Stores models: a model's folder is there exactly if all of its files are, each with its digest."""

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from infra.launcher.base.errors import Missing, Offline
from infra.models.manifest import Model
from infra.models.source import Arrived, Source, Unavailable
from infra.models.verify import is_recorded, record_right, right_files

STAGING = ".fetching"  # beside the models: what is there already of those that are not whole yet
SPARE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class FetchEvents:
    """Where the store emits what a person is to see.

    Attributes:
        advance: Called with the bytes that are there and the bytes that are wanted.
        notice: Called with a sentence that the person must not miss.
    """

    advance: Callable[[int, int], None]
    notice: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ModelStore:
    """The folder with one folder for each model."""

    folder: Path

    def lacks(self, models: Sequence[Model]) -> list[Model]:
        """Lists the models whose files have not been verified, or have changed since. Hashes nothing."""
        return [model for model in models if not is_recorded(model, self.folder / model.name)]

    async def fill(
        self, wanted: Sequence[Model], known: Mapping[str, Model], source: Source, events: FetchEvents
    ) -> None:
        """Fetch what is missing of some models, and check every file's digest.

        A model that cannot be had is replaced by its fallback, or done without, with a notice.

        Raises:
            Unavailable: A model cannot be had, and neither can a fallback.
            Offline: The source cannot be reached.
            Missing: The disk is too full.
        """
        lacking = self.lacks(wanted)
        self._check_space(lacking)
        total = sum(model.size for model in lacking)
        before = 0
        for model in lacking:
            arrived = partial(_emit_sum, events, before, model.size, total)
            await self._put(model, known, source, arrived, events.notice)
            before += model.size
            events.advance(before, total)

    async def _put(
        self,
        model: Model,
        known: Mapping[str, Model],
        source: Source,
        arrived: Arrived,
        notice: Callable[[str], None],
    ) -> None:
        try:
            await self._fetch(model, source, arrived)
        except (Unavailable, Offline) as reason:
            if model.without:
                notice(f"{reason}\n  without {model.name} {model.without}; run this again to retry")
                return
            fallback = known.get(model.fallback)
            if fallback is None or (isinstance(reason, Offline) and self.lacks([fallback])):
                raise
            notice(f"{reason}\n  {fallback.name} takes its place, which is worse; run this again to retry")
            if self.lacks([fallback]):
                await self._put(fallback, known, source, arrived, notice)

    async def _fetch(self, model: Model, source: Source, arrived: Arrived) -> None:
        target, staging = self.folder / model.name, self.folder / STAGING / model.name
        staging.mkdir(parents=True, exist_ok=True)
        if target.exists():  # not verified yet, or changed since: keep what is right
            right = await asyncio.to_thread(right_files, model, target)
            if len(right) == len(model.files):
                record_right(right, target)
                return
            for file in right:
                (target / file.name).replace(staging / file.name)
        right = await asyncio.to_thread(right_files, model, staging)
        lacking = [file for file in model.files if file not in right]
        if lacking:
            await source.fetch(model, lacking, staging, arrived)
        right = await asyncio.to_thread(right_files, model, staging)
        if wrong := [file.name for file in model.files if file not in right]:
            shutil.rmtree(staging)
            raise Unavailable(f"{model.name}: refused, for the digest of {', '.join(wrong)} is not the manifest's")
        shutil.rmtree(target, ignore_errors=True)
        self._accept(model, staging, target)

    def _accept(self, model: Model, staging: Path, target: Path) -> None:
        tidy = staging.with_name(f"{staging.name}.tidy")
        shutil.rmtree(tidy, ignore_errors=True)
        tidy.mkdir()
        for file in model.files:
            (staging / file.name).replace(tidy / file.name)
        record_right(model.files, tidy)
        tidy.replace(target)
        shutil.rmtree(staging)
        with suppress(OSError):  # other models are still being fetched
            staging.parent.rmdir()

    def _check_space(self, lacking: Sequence[Model]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        needed = sum(model.size for model in lacking) + SPARE_BYTES if lacking else 0
        free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise Missing(
                f"the weights need {needed / 1e9:.1f} GB and {self.folder} has {free / 1e9:.1f} GB free; "
                "make room, or set AURA_HOME to another disk"
            )


def _emit_sum(events: FetchEvents, before: int, size: int, total: int, there: int) -> None:
    """Emit the bytes of one model on top of those of the models before it."""
    events.advance(before + min(there, size), total)
