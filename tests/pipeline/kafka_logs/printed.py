"""Returns the document of a case as the command prints it."""

from typing import Any

from eosviz.pipeline.kafka_logs import case as kafka_case
from eosviz.pipeline.kafka_logs.printed import english


def document(case: kafka_case.Case) -> dict[str, Any]:
    return kafka_case.document(case, english)
