"""Scores the answers of a running stack: a set of everyday questions, asked in writing, each judged by rule.

    python -m infra.bench.answers [--run-dir DIR] [--kind KIND] [--wrong]

Takes a few minutes on a small machine. Prints each answer as it comes, and then how many were right.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from statistics import median

from infra.bench.answers.questions import read_talks
from infra.bench.answers.run import Answered, ask_all
from infra.bench.base.running_stack import add_run_dir, running_stack


def line(answered: Answered) -> str:
    mark = "right" if answered.is_right else "WRONG"
    counted = mark if answered.question.is_counted else "  -  "
    return f"{counted}  {answered.question.ask}  →  {answered.answer or '(silent)'}"


def score(answered: Sequence[Answered]) -> str:
    """How many were right, of each kind and of all."""
    counted = [each for each in answered if each.question.is_counted]
    lines = [f"{'kind':<12} right   of"]
    for kind in dict.fromkeys(each.kind for each in counted):
        of_kind = [each.is_right for each in counted if each.kind == kind]
        lines.append(f"{kind:<12} {sum(of_kind):5} {len(of_kind):4}")
    right = sum(each.is_right for each in counted)
    lines.append(f"{'all':<12} {right:5} {len(counted):4}   {right / max(1, len(counted)):.0%}")
    waits = [each.waited_s for each in answered if each.waited_s is not None]
    if waits:
        lines.append(f"first word after {median(waits):.2f} s (median)")
    return "\n".join(lines)


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    talks = read_talks()
    kinds = list(dict.fromkeys(talk.kind for talk in talks))
    parser = argparse.ArgumentParser(prog="python -m infra.bench.answers", description=__doc__.partition("\n")[0])
    add_run_dir(parser, environ.get("AURA_HOME"))
    parser.add_argument(
        "--kind", choices=kinds, action="append", help="only such questions; may be given several times"
    )
    parser.add_argument("--wrong", action="store_true", help="print only the answers that are wrong")
    asked = parser.parse_args(arguments)
    stack = running_stack(asked)

    def tell(answered: Answered) -> None:
        if not asked.wrong or (answered.question.is_counted and not answered.is_right):
            print(line(answered), flush=True)

    chosen = [talk for talk in talks if not asked.kind or talk.kind in asked.kind]
    print(f"\n{score(asyncio.run(ask_all(stack.running.pipeline_url, stack.key, chosen, tell)))}")
    return 0
