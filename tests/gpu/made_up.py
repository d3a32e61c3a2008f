"""The shipped deployment with made-up weights: what a server at full size, or a tiny one, is started with."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.gpu.chain_meters import REQUESTS
from tests.gpu.chain_model import SHIPPED, TOKENS, WORDS, write_deployment, write_models
from tests.gpu.chain_run import Place
from tests.gpu.environment import environment
from tests.gpu.voice import mps

HEARD = TOKENS["asr"]
STAT_LOGGER = "tests.gpu.chain_waits:RequestLog"


@contextmanager
def made_up(
    deployment: Path,
    caches: Path | None,
    words: str,
    *,
    shares: bool,
    tiny: bool,
    heard: int = HEARD,
    watched: bool = True,
) -> Iterator[Place]:
    """A place that is there until the context ends.

    Args:
        caches: Of what is compiled; None: new ones.
        words: Of the recogniser, by their name in `WORDS`.
        heard: Tokens that each of its passes writes, with those of its draft.
        watched: Whether vLLM has a stat logger, which tells how long requests wait in the engines. For it vLLM counts
            in each step what a deployment does not ask for.
        shares: The stages use the GPU at the same time, under NVIDIA's Multi-Process Service.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        write_models(folder / "models", tiny=tiny)
        write_deployment(folder / "deployment.yaml", deployment, tiny=tiny, heard=heard)
        with mps(folder, shares) as service:
            caches = caches or folder / "caches"
            stat_logger = STAT_LOGGER if watched else ""
            env = environment(folder / "plugin", caches, WORDS[words], tiny=tiny, stat_logger=stat_logger)
            env |= {"VLLM_LOGGING_LEVEL": "INFO", REQUESTS: str(folder / "requests.jsonl")} | service
            yield Place(folder / "deployment.yaml", folder / "models", env)


def made_up_from(args: argparse.Namespace, deployment: Path | None = None) -> AbstractContextManager[Place]:
    """As the arguments of `add_server_arguments` say, but for another deployment, if one is given."""
    return made_up(
        deployment or args.deployment,
        args.caches,
        args.words,
        shares=args.mps,
        tiny=args.tiny,
        heard=args.heard,
        watched=not args.unwatched,
    )


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """What `made_up` needs to know, and how long all may take."""
    parser.add_argument("--deployment", type=Path, default=SHIPPED, help="another one for the same models")
    parser.add_argument("--caches", type=Path, metavar="DIR")
    parser.add_argument("--limit", type=float, metavar="S")
    parser.add_argument("--words", choices=WORDS, default="steady", help="of the recogniser (%(default)s)")
    parser.add_argument(
        "--heard",
        type=int,
        default=HEARD,
        metavar="N",
        help="tokens that a pass of the recogniser writes (%(default)s): 8 are four new ones a second in turns of more "
        "than 4 s, in which all but five are given",
    )
    parser.add_argument(
        "--unwatched", action="store_true", help="no stat logger, as deployed: waits in the engines are not told"
    )
    parser.add_argument("--mps", action="store_true")
    parser.add_argument("--tiny", action="store_true")


def numbers(text: str) -> tuple[int, ...]:
    """Numbers with commas between them, of a command line."""
    return tuple(int(each) for each in text.split(","))
