"""Cases of several stacks at once: how they are kept, shared out and put together again."""

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from infra.bench.base.speech import RATE
from infra.bench.turn_taking.cli import main
from infra.bench.turn_taking.report import Judged
from infra.bench.turn_taking.sounds.cases import Case, CaseClass
from infra.bench.turn_taking.sounds.kept import Sounds, chosen, keep, read
from infra.bench.turn_taking.stacks import Stacks, run_stacks, seconds, share

DICE = np.random.default_rng(3)
KINDS: tuple[CaseClass, ...] = ("noise", "pause", "aside")
PATIENCE_S = 120.0
STACK = "tests.infra.bench.turn_taking.one_stack"


def sound(length_s: float) -> np.ndarray:
    return DICE.integers(-32_768, 32_768, round(length_s * RATE)).astype(np.int16)


def turn(what: str, language: str = "en") -> Case:
    return Case("pause", what, language, sound(0.05), 0.02, 0.01, 1)


CASES = [Case(KINDS[at % 3], str(at), ("en", "de", "fr")[at % 7 % 3], sound(0.3 + at % 5)) for at in range(60)]


def kept(folder: Path, cases: list[Case]) -> Path:
    keep(folder / "cases.npz", Sounds(sound(0.1), cases))
    return folder / "cases.npz"


def test_sounds_are_read_as_they_were_kept(tmp_path: Path) -> None:
    question, cases = sound(0.2), [turn("I | see", "de"), Case("noise", "cough", "en", sound(0.1))]
    file = tmp_path / "sounds"
    keep(file, Sounds(question, cases))
    again = read(file)
    assert np.array_equal(again.question, question)
    for case, before in zip(again.cases, cases, strict=True):
        assert np.array_equal(case.sound, before.sound)
        assert case.sound.dtype == np.int16
    told = [(case.kind, case.what, case.language, case.pause_at_s, case.longest_pause_s, case.pauses) for case in cases]
    assert told[0] == ("pause", "I | see", "de", 0.02, 0.01, 1)
    assert [(c.kind, c.what, c.language, c.pause_at_s, c.longest_pause_s, c.pauses) for c in again.cases] == told


def of_another_version(file: Path) -> None:
    with file.open("wb") as there:
        np.savez(there, index=np.frombuffer(b'[{"more": 1}]', np.uint8), question=DICE.bytes(8))


def damaged(file: Path) -> None:
    keep(file, Sounds(sound(0.1), [turn("a")]))
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 3 : len(whole) // 3 + 40] = bytes(40)
    file.write_bytes(whole)


@pytest.mark.parametrize(
    "write",
    [lambda file: file.write_text("no sounds"), lambda file: file.write_bytes(b""), of_another_version, damaged],
)
def test_a_file_without_sounds_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], object]
) -> None:
    write(tmp_path / "other")
    with pytest.raises(SystemExit):
        main(["room", "--sounds", str(tmp_path / "other")], {"AURA_HOME": str(tmp_path)})
    told = capsys.readouterr().err
    assert "--sounds: " in told and str(tmp_path / "other") in told


def test_so_many_of_each_class_are_chosen_in_their_order() -> None:
    some = chosen(CASES, 4, 2, ("pause", "aside"), ("en", "de"))
    assert Counter(case.kind for case in some) == {"pause": 4, "aside": 4}
    assert {case.language for case in some} <= {"en", "de"}
    assert [int(case.what) for case in some] == sorted(int(case.what) for case in some)
    spoken = [case.what for case in CASES if case.kind == "pause" and case.language != "fr"]
    assert [case.what for case in some if case.kind == "pause"] == spoken[2:6]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_each_case_is_measured_once_and_no_stack_has_much_more_to_do(count: int) -> None:
    shares = [share(CASES, number, count) for number in range(count)]
    assert sorted(int(case.what) for mine in shares for case in mine) == list(range(60))
    lengths = [sum(map(seconds, mine)) for mine in shares]
    assert max(lengths) - min(lengths) < 2 * max(map(seconds, CASES))


def test_a_stack_has_calls_of_few_languages() -> None:
    calls = [(case.kind == "pause", case.language) for number in range(4) for case in share(CASES, number, 4)]
    assert sum(one != other for one, other in pairwise(calls)) == len(set(calls)) - 1


async def test_what_stacks_measure_is_one_report_and_each_has_ports_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    judged: list[Judged] = []
    stacks = Stacks(2, kept(tmp_path, [turn(f"turn {at}") for at in range(6)]), tmp_path, module=STACK)
    await run_stacks(stacks, 6, judged)
    assert sorted(case.what for case, _ in judged) == [f"turn {at}" for at in range(6)]
    ports = [port for each in {outcome.reason for _, outcome in judged} for port in each.split()]
    assert len(ports) == len(set(ports)) == 8
    told = capfd.readouterr().out
    assert "6/6 right pause turn" in told
    assert all(f"[{number}] " in told for number in range(2))


async def test_the_others_measure_on_when_a_stack_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    judged: list[Judged] = []
    stacks = Stacks(2, kept(tmp_path, [turn("fails"), turn("goes")]), tmp_path, module=STACK)
    await run_stacks(stacks, 2, judged)
    assert [case.what for case, _ in judged] == ["goes"]
    assert "[0] has failed:\nthe worker is not ready" in capfd.readouterr().out


async def test_what_was_measured_is_there_when_all_are_ended_early(tmp_path: Path) -> None:
    judged: list[Judged] = []
    cases = [turn("goes"), turn("waits"), turn("never"), turn("goes, too")]
    stacks = Stacks(1, kept(tmp_path, cases), tmp_path, module=STACK)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        running = group.create_task(run_stacks(stacks, 4, judged))
        while not stacks.report(0).exists():
            await asyncio.sleep(0.02)
        running.cancel()
    assert running.cancelled()
    assert [case.what for case, _ in judged] == ["goes"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["room", "--language-model"], "--language-model: only offline"),
        (["offline", "--language-model", "--class", "aside"], "--language-model: it is asked in pauses only, and"),
        (["offline", "--limit", "5"], "--limit: only in a room"),
        (["merge", "a.json", "--stacks", "2"], "--stacks: only in a room"),
        (["room", "--stacks", "0"], "--stacks: must be 1 or more"),
        (["room", "--limit", "0"], "--limit: must be more than 0"),
        (["room", "--share", "2/2"], "'2/2' is none"),
        (["room", "--stacks", "2", "--share", "0/2"], "leave --share"),
        (["sounds"], "FILE: sounds wants one"),
    ],
)
def test_what_cannot_be_asked_for_is_named(
    arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments, {})
    assert fault in capsys.readouterr().err
