"""Where and how large a pipeline runs: the YAML of a deployment, its schema and its checks."""
