"""The Content-Security-Policy header: a page may load and talk to this site alone."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from eosviz.middleware import Middleware

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # Without style attributes, too: scripts place things through `.style`, which is no markup.
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        # A form that signs in with another site's account is led there.
        " ".join(("form-action 'self'", *settings.SIGN_IN_ORIGINS)),
        "frame-ancestors 'none'",
    )
)

EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""Of the one page that may stand in a frame on another site."""


class ContentSecurityPolicyMiddleware(Middleware):
    """Adds the policy to every response that has none of its own. A title or a file of another person is
    shown in these pages: should one ever slip through escaping, the browser still runs no script of it."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response
