# The pipeline of small models, for machines without a GPU. The weights come in a volume at /models, by the image `models`.
#   docker build --file infra/containers/pipeline.Dockerfile --build-arg PYTHON_IMAGE=python:3.12-slim-trixie@sha256:… .
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY infra/requirements/embedded.txt infra/requirements/build.txt infra/requirements/
RUN python -m venv /opt/aura \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/embedded.txt
COPY pyproject.toml README.md LICENSE ./
COPY agent agent
COPY pipeline pipeline
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement infra/requirements/build.txt \
    && pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/aura/bin/pip install --no-cache-dir --no-deps dist/*.whl

FROM ${PYTHON_IMAGE}
COPY --from=build /opt/aura /opt/aura
ENV PATH=/opt/aura/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
RUN install --directory --owner=10001 --group=10001 /models
USER 10001:10001
WORKDIR /tmp
VOLUME /models
HEALTHCHECK --interval=5s --timeout=4s --start-period=180s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8100/ready', timeout=3)"]
ENTRYPOINT ["aura-pipeline", "serve", "--models-dir", "/models", "--port", "8100"]
CMD ["--host", "127.0.0.1", "--profile", "embedded"]
