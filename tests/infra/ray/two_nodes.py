"""A Ray cluster of two nodes on this machine, in Ray's own venv: prints its address, ends with its standard input."""

import sys

from ray.cluster_utils import Cluster


def main() -> None:
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=4, object_store_memory=100 << 20, include_dashboard=False)
    print(cluster.address, flush=True)
    sys.stdin.read()
    cluster.shutdown()


if __name__ == "__main__":
    main()
