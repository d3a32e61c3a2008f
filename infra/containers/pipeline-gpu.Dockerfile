# The pipeline on vLLM, for NVIDIA's GPUs. CUDA's libraries come with PyTorch's wheels, the driver with NVIDIA's container
# toolkit. The checkpoints come in a volume at /models, what vLLM compiles is kept in one at /var/cache/aura.
#   docker build --file infra/containers/pipeline-gpu.Dockerfile --build-arg PYTHON_IMAGE=python:3.12-slim-trixie@sha256:… .
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY infra/requirements/vllm.txt infra/requirements/build.txt infra/requirements/
RUN python -m venv /opt/aura \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/vllm.txt
COPY pyproject.toml README.md LICENSE ./
COPY agent agent
COPY pipeline pipeline
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/build.txt \
    && pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps dist/*.whl

FROM ${PYTHON_IMAGE}
# Triton compiles kernels at the first start. The base image's digest fixes the release that these come from.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/aura /opt/aura
COPY pipeline/deployment/files /opt/aura/deployment
ENV PATH=/opt/aura/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    HOME=/var/cache/aura XDG_CACHE_HOME=/var/cache/aura \
    NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
RUN install --directory --owner=10001 --group=10001 /var/cache/aura
USER 10001:10001
WORKDIR /tmp
VOLUME ["/models", "/var/cache/aura"]
HEALTHCHECK --interval=5s --timeout=4s --start-period=1200s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8100/ready', timeout=3)"]
ENTRYPOINT ["aura-pipeline", "serve", "--models-dir", "/models", "--port", "8100"]
CMD ["--host", "127.0.0.1", "--profile", "vllm"]
