# One image for web, workers, beat and `manage.py`; compose.yaml says which is which.
FROM python:3.12-slim AS made
WORKDIR /eosviz
COPY . .
RUN apt-get update && apt-get install --yes --no-install-recommends make && make setup \
    && rm -rf node_modules .bootstrap

FROM python:3.12-slim
ENV PATH=/eosviz/.venv/bin:$PATH PYTHONUNBUFFERED=1
COPY --from=made /eosviz /eosviz
WORKDIR /eosviz
RUN useradd --system --create-home eosviz && mkdir /data && chown eosviz /data
USER eosviz
