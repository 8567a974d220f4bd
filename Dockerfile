# One image for web, workers, beat and `manage.py`; compose.yaml says which is which.
FROM python:3.12-slim AS made
WORKDIR /eosviz
COPY . .
# What Python compiles is stored here: the user below may not write it, and each start would compile it again.
RUN apt-get update && apt-get install --yes --no-install-recommends make && make setup \
    && (.venv/bin/python -m compileall -q .venv/lib engine eosviz; rm -rf node_modules .bootstrap)

FROM python:3.12-slim
ENV PATH=/eosviz/.venv/bin:$PATH PYTHONUNBUFFERED=1
COPY --from=made /eosviz /eosviz
WORKDIR /eosviz
RUN useradd --system --create-home eosviz && mkdir --mode 700 /data && chown eosviz /data
USER eosviz
