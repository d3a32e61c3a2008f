"""The process that holds the language model: llama.cpp's own server, on a free loopback port.

Reads its settings as one line of JSON, writes its address as another to its output, which it then closes: nobody reads
there any more. It ends when its input closes: so it never outlives the pipeline, however that ends.
"""

import json
import os
import signal
import sys
from typing import Any, TextIO

# Turns that llama.cpp's threads spin while they wait for each other. With libgomp's own choice (300,000) two threads
# all but stop when others want the cores too: 0.2 tokens a second were seen. Where another process wanted one of two
# cores a token took 0.30 s with 5,000 and 0.16 with 500. An idle machine loses nothing with 500, and a tenth with 0.
SPIN = "500"


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the pipeline too, which closes our input in its time
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN)  # before the import: libgomp reads it once
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer, and would fill a pipe
    settings = json.loads(sys.stdin.readline())
    try:
        server = _server(settings)
    except (ImportError, RuntimeError) as error:
        _answer(answers, {"error": str(error)})
        sys.exit(1)
    _answer(answers, {"address": server.listening_address})
    sys.stdin.read()
    os._exit(0)  # the server's own end would wait for what it is writing


def _answer(answers: TextIO, answer: dict[str, str]) -> None:
    with answers:
        print(json.dumps(answer), file=answers)


def _server(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]
    params.n_batch = params.n_ubatch = settings["batch"]
    params.n_cache_reuse = settings["reused"]
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["prompt_threads"]
    params.slot_save_path = settings["saved"] + "/"
    params.cache_ram_mib = 0  # else prompts of all callers are kept in up to 8 GiB of memory
    params.ui = False
    params.verbosity = -1
    params.api_keys = [settings["key"]]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
