# The agent: takes rooms from a LiveKit server. `infra/containers/prepare` resolves the digest of the base image.
#   docker build --file infra/containers/agent.Dockerfile --build-arg PYTHON_IMAGE=python:3.12-slim-trixie@sha256:… .
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY infra/requirements/agent.txt infra/requirements/build.txt infra/requirements/
RUN python -m venv /opt/aura \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/agent.txt
COPY pyproject.toml README.md LICENSE ./
COPY agent agent
COPY pipeline pipeline
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/build.txt \
    && pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps dist/*.whl

FROM ${PYTHON_IMAGE}
COPY --from=build /opt/aura /opt/aura
ENV PATH=/opt/aura/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp \
    AURA_AGENT_HOST=127.0.0.1 AURA_AGENT_PORT=8081
USER 10001:10001
WORKDIR /tmp
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"AURA_AGENT_PORT\"]}/health', timeout=3)"]
ENTRYPOINT ["aura-agent"]
CMD ["start"]
