# syntax=docker/dockerfile:1
FROM python:3.13-slim AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/euchre
# The search core is compiled; the compiler stays in this stage.
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src

# The locked dependencies first: they change less often than the code, so the layer is kept.
COPY requirements-run.lock ./
RUN /opt/euchre/bin/pip install --require-hashes --requirement requirements-run.lock

COPY pyproject.toml setup.py README.md LICENSE NOTICE ./
COPY engine engine
COPY protocol protocol
COPY bots bots
COPY server server
COPY clients clients
RUN /opt/euchre/bin/pip install --no-deps --no-build-isolation .


FROM python:3.13-slim

RUN useradd --system --uid 10001 --home-dir /data euchre \
    && install --directory --owner euchre --group euchre /data
COPY --from=build /opt/euchre /opt/euchre

ENV PATH=/opt/euchre/bin:$PATH PYTHONUNBUFFERED=1
USER euchre
WORKDIR /data
VOLUME /data
EXPOSE 8765

HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/readyz', timeout=2)"]

CMD ["euchre", "serve", "--host", "0.0.0.0", "--port", "8765", "--data", "/data"]
