"""The Content-Security-Policy header: a page may load from and connect to this site only."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from eosviz.middleware import Middleware

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # Style attributes are not allowed either; scripts set `.style`, which is no markup.
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        # A form that signs in with another site's account redirects there.
        " ".join(("form-action 'self'", *settings.SIGN_IN_ORIGINS)),
        "frame-ancestors 'none'",
    )
)

EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The policy of the pages that other sites may show in a frame."""

FRAMED_HERE_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
"""The policy of a page that other pages of this site show in a frame."""


class ContentSecurityPolicyMiddleware(Middleware):
    """Adds the policy to every response that has none, so that a browser runs no script in text that was not
    escaped."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response
