# Fetches the weights of the embedded profile into a volume at /models, and ends. What is there and right stays.
#   docker build --file infra/containers/models.Dockerfile --build-arg PYTHON_IMAGE=python:3.12-slim-trixie@sha256:… .
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE}
COPY infra/requirements/launcher.txt /opt/aura/launcher.txt
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement /opt/aura/launcher.txt \
    && install --directory --owner=10001 --group=10001 /models
COPY infra/__init__.py /opt/aura/infra/__init__.py
COPY infra/launcher/__init__.py /opt/aura/infra/launcher/__init__.py
COPY infra/launcher/base /opt/aura/infra/launcher/base
COPY infra/models /opt/aura/infra/models
ENV PYTHONPATH=/opt/aura PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 10001:10001
WORKDIR /tmp
VOLUME /models
HEALTHCHECK NONE
ENTRYPOINT ["python", "-m", "infra.models", "/models"]
