"""Makes responses with an error to any request, for errors that a fault script injects (GEN-6)."""

from __future__ import annotations

from engine.apis import APIS, of_request, of_response
from engine.errors import Error, Refused


def error_answer(request: object, error: Error, log_start: int) -> object:
    """The response to ``request`` in which every partition or entry has ``error``. Raises Refused for a request
    whose API has no such response."""
    api = of_request(request)
    if api is None or api.answer is None:
        known = sorted(found.name for found in APIS if found.answer is not None)
        asked = type(request).__name__
        raise Refused("GEN-6", "faults.error", "no_error_answer", request=asked, known=known)
    answer: object = api.answer(request, error, log_start)
    return answer


def with_error(response: object, error: Error) -> object:
    """The response of a broker, with another error in it. The effects of the request stay."""
    api = of_response(response)
    return response if api is None else api.altered(response, error)
