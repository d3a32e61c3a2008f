# The page's server: the built page, and tokens for calls. `infra/containers/prepare` resolves the digests of the base images.
#   docker build --file infra/containers/web.Dockerfile --build-arg NODE_IMAGE=… --build-arg PYTHON_IMAGE=… .
ARG NODE_IMAGE
ARG PYTHON_IMAGE
FROM ${NODE_IMAGE} AS page
WORKDIR /page
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend ./
RUN npm run build

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
COPY --from=page /page/dist /srv/page
ENV PATH=/opt/aura/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp AURA_PORT=8080
USER 10001:10001
WORKDIR /tmp
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"AURA_PORT\"]}/health', timeout=3)"]
ENTRYPOINT ["aura-agent", "web", "--static", "/srv/page"]
CMD ["--host", "127.0.0.1", "--port", "8080"]
