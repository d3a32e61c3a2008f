"""The process that holds the language model: llama.cpp's own server, on a free loopback port.

Reads its settings as one line of JSON, prints its address as another, and ends when its input closes: so it never
outlives the pipeline, however that ends.
"""

import json
import sys


def main() -> None:
    import xllamacpp

    settings = json.loads(sys.stdin.readline())
    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]
    params.n_batch = params.n_ubatch = settings["batch"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.cache_ram_mib = 0
    params.ui = False
    params.verbosity = -1
    params.api_keys = [settings["key"]]
    server = xllamacpp.Server(params)
    print(json.dumps({"address": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
