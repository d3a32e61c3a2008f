"""What is kept of what slots have read, and for how long."""

import os
from dataclasses import dataclass
from pathlib import Path

from pipeline.engines.llamacpp.saved_states import KEPT, SavedStates


@dataclass
class Server:
    """Stands in for llama.cpp's: a slot's state is its number."""

    folder: Path

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool:
        if action == "save":
            (self.folder / file).write_text(str(slot))
            return True
        return (self.folder / file).read_text() == str(slot)


def kept(folder: Path) -> tuple[Server, SavedStates]:
    return Server(folder), SavedStates(folder, "a model")


def a_second_passes(folder: Path) -> None:
    for file in folder.iterdir():
        os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 1))


def damage(folder: Path) -> None:
    for file in folder.iterdir():
        file.write_text("half")


async def test_a_slot_gets_back_what_was_read_and_nothing_else(tmp_path: Path) -> None:
    server, states = kept(tmp_path)
    await states.save(server, 0, [1, 2, 3])
    assert await states.restore(server, 0, [1, 2, 3])
    assert not await states.restore(server, 0, [1, 2])
    assert not await SavedStates(tmp_path, "another model").restore(server, 0, [1, 2, 3])


async def test_weights_in_the_place_of_others_of_the_same_size_get_none_of_their_states(tmp_path: Path) -> None:
    weights, folder = tmp_path / "model.gguf", tmp_path / "states"
    folder.mkdir()
    weights.write_bytes(b"first")
    server, states = Server(folder), SavedStates.of(folder, weights, 1024)
    await states.save(server, 0, [1, 2, 3])
    assert SavedStates.of(folder, weights, 1024).has([1, 2, 3])
    weights.write_bytes(b"later")
    os.utime(weights, ns=(0, weights.stat().st_mtime_ns + 1))
    assert not SavedStates.of(folder, weights, 1024).has([1, 2, 3])


async def test_only_those_that_were_used_last_are_kept(tmp_path: Path) -> None:
    server, states = kept(tmp_path)
    for number in range(KEPT):
        await states.save(server, 0, [number])
        a_second_passes(tmp_path)
    assert await states.restore(server, 0, [0])
    await states.save(server, 0, [KEPT])
    output = [number for number in range(KEPT + 1) if await states.restore(server, 0, [number])]
    assert output == [0, *range(2, KEPT + 1)]


async def test_a_damaged_one_is_made_anew(tmp_path: Path) -> None:
    server, states = kept(tmp_path)
    await states.save(server, 0, [1])
    damage(tmp_path)
    assert not await states.restore(server, 0, [1])
    await states.save(server, 0, [1])
    assert await states.restore(server, 0, [1])
